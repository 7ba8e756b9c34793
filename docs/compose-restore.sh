#!/bin/sh
# compose-restore.sh ARCHIVE: replaces the files of this folder, except `backups`, and the data volume with those of an archive that
# compose-backup.sh made. Keeps the present files in a folder beside them. Changes nothing if the archive is damaged. If a later step fails,
# puts the files and the volume back and starts the containers again.
set -eu
archive=$(realpath -- "${1:?expected an archive of compose-backup.sh}")
cd "$(dirname "$0")"

refuse() {
  echo "compose-restore.sh: $1. Nothing has been changed" >&2
  exit 1
}

gzip --test "$archive" || refuse "$archive is damaged"
for file in ./.env ./compose.yaml ./data.tar.gz; do
  tar --list --file "$archive" "$file" > /dev/null || refuse "expected $file in the archive, found none"
done
tar --extract --to-stdout --file "$archive" ./data.tar.gz | gzip --test || refuse 'data.tar.gz in the archive is damaged'
bytes=$(tar --list --verbose --numeric-owner --file "$archive" | awk '{ sum += $3 + 4096 } END { printf "%.0f", sum }')
free=$(df --output=avail --block-size=1 . | tail -n 1 | tr -d ' ')
if [ "$free" -lt "$bytes" ]; then refuse "expected room for $bytes bytes on this disk, found $free"; fi

before=before-restore-$(date +%Y-%m-%dT%H-%M-%S)
mkdir --mode 700 "$before"
# Without it, this is a new machine, which has no volume to put back.
had_containers=''
if [ -e .env ]; then had_containers=true; fi
is_moved=''

# Runs an action of `find` on all that the archive replaces.
replaced() { find . -mindepth 1 -maxdepth 1 ! -name backups ! -name 'before-restore-*' ! -samefile "$archive" "$@"; }

# Runs shell commands in the volume.
in_volume() { docker compose run --rm --no-TTY almanakk sh -euc "$1" sh /data; }

others='find . -mindepth 1 -maxdepth 1 ! -name lost+found ! -name ".before*"'
# `.before` has all previous files, and `.before-unfinished` some of them.
put_volume_back="cd \"\$1\"
if [ -e .before ]; then $others -exec rm -rf {} +; fi
for folder in .before .before-unfinished; do
  if [ ! -e \$folder ]; then continue; fi
  find \$folder -mindepth 1 -maxdepth 1 -exec mv --target-directory . {} +
  rmdir \$folder
done"
# Puts back first what a run that was killed has left.
replace_volume="$put_volume_back
mkdir .before-unfinished
$others -exec mv --target-directory .before-unfinished {} +
mv .before-unfinished .before
tar --extract --gzip"

put_files_back() {
  if [ "$is_moved" ]; then replaced -exec rm -rf {} + || return 1; fi
  find "$before" -mindepth 1 -maxdepth 1 -exec mv --target-directory . {} + && rmdir "$before"
}

undo() {
  trap '' HUP INT TERM
  echo "compose-restore.sh: $failed, see above. Putting the previous files back" >&2
  if [ "$had_containers" ]; then docker compose stop almanakk || true; fi
  if ! put_files_back; then
    echo "compose-restore.sh: this failed too, see above. Files that are not in place are in $before" >&2
  elif [ "$had_containers" ] && ! { in_volume "$put_volume_back" && docker compose up --detach; }; then
    echo 'compose-restore.sh: the previous files are in place, but not the volume, or the containers did not start' >&2
  else
    echo 'compose-restore.sh: the previous state is in place' >&2
  fi
  exit 1
}

failed='the server did not stop'
trap undo EXIT
trap 'exit 1' HUP INT TERM
if [ "$had_containers" ]; then docker compose stop almanakk; fi
failed='the previous files could not be moved'
replaced -exec mv --target-directory "$before" {} +
is_moved=true
failed='the archive could not be unpacked'
tar --extract --file "$archive" --exclude ./data.tar.gz
failed='the volume could not be restored'
tar --extract --to-stdout --file "$archive" ./data.tar.gz | in_volume "$replace_volume"
failed='the server did not become ready within five minutes'
docker compose up --detach --wait --wait-timeout 300
trap - EXIT HUP INT TERM
docker compose exec --no-TTY almanakk rm -rf /data/.before
echo "restored. The previous files are in $before. Delete this folder when you no longer need it."
