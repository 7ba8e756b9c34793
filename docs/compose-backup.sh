#!/bin/sh
# compose-backup.sh [COMMAND]: archives all that compose-restore.sh needs into the folder `backups` beside this file, and keeps the last
# fourteen archives. An archive has the other files of this folder, and the data volume as data.tar.gz.
# With a command, age encrypts the archive for the recipients in backup-recipients.txt, and the command gets the path of that copy in place of {}:
# sh compose-backup.sh scp -q -o ConnectTimeout=10 -o ServerAliveInterval=15 {} backup@other-machine.example:
set -eu
umask 077
cd "$(dirname "$0")"
case " $* " in
  '  ' | *'{}'*) ;;
  *)
    echo "compose-backup.sh: expected a command with {} for the path of the copy, found: $*" >&2
    exit 1
    ;;
esac
unfinished=backups/.unfinished
rm -rf "$unfinished"
mkdir -p "$unfinished"
trap 'rm -rf "$unfinished"' EXIT
trap 'exit 1' HUP INT TERM

# The archive of the volume, the archive with it, and the encrypted copy. Each takes at most as much as its files.
size_of_volume=$(docker compose exec --no-TTY almanakk sh docs/archive.sh /data --size)
: "${size_of_volume:?expected the size of the volume, found none}"
own_size=$(du --bytes --summarize --exclude ./backups --exclude './before-restore-*' . | cut -f 1)
bytes=$((size_of_volume * 2 + own_size))
if [ $# -gt 0 ]; then bytes=$((bytes + size_of_volume + own_size)); fi
free=$(df --output=avail --block-size=1 backups | tail -n 1 | tr -d ' ')
if ! [ "$free" -ge "$bytes" ]; then
  echo "compose-backup.sh: expected room for $bytes bytes on the disk with $PWD/backups, found $free. No archive has been made or removed" >&2
  exit 1
fi

archive_volume() {
  docker compose exec --no-TTY almanakk sh docs/archive.sh /data > "$unfinished/data.tar.gz"
}
# It fails if a build ends in the meantime.
archive_volume || archive_volume || archive_volume
gzip --test "$unfinished/data.tar.gz"
name=$(date +%Y-%m-%dT%H-%M-%S).tar.gz
# Exit code 1 means that a file changed while tar read it.
tar --create --gzip --file "$unfinished/$name" --anchored --exclude ./backups --exclude './before-restore-*' \
  . --directory "$unfinished" ./data.tar.gz || [ $? = 1 ]
gzip --test "$unfinished/$name"
mv "$unfinished/$name" "backups/$name"
ls backups/*.tar.gz | head -n -14 | xargs --no-run-if-empty rm
if [ $# -gt 0 ]; then
  age --recipients-file backup-recipients.txt --output "$unfinished/$name.age" "backups/$name"
  printf '%s\0' "$unfinished/$name.age" | xargs --null -I '{}' "$@"
fi
# The server warns when this file is old: ALMANAKK_BACKUP_MARK.
docker compose exec --no-TTY almanakk touch /data/backup.made
