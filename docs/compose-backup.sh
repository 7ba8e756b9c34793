#!/bin/sh
# compose-backup.sh: archives the data volume into the folder `backups` beside this file, and keeps the last fourteen archives.
set -eu
umask 077
cd "$(dirname "$0")"
mkdir -p backups
make_archive() {
  docker compose exec --no-TTY almanakk sh docs/archive.sh /data > backups/.unfinished
}
# It fails if a build ends in the meantime.
make_archive || make_archive || make_archive
gzip --test backups/.unfinished
mv backups/.unfinished "backups/$(date +%Y-%m-%dT%H-%M-%S).tar.gz"
# The server warns when this file is old: ALMANAKK_BACKUP_MARK.
docker compose exec --no-TTY almanakk touch /data/backup.made
ls backups/*.tar.gz | head -n -14 | xargs --no-run-if-empty rm
