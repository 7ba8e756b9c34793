#!/bin/sh
# kubernetes-backup.sh COPIES [NAMESPACE]: writes an archive of the builder's volume, with the calendar and the secrets, to a new file in the folder
# COPIES, and keeps the last fourteen. NAMESPACE is almanakk by default. Give each calendar a folder of its own. age encrypts the archive for the
# recipients in backup-recipients.txt. The objects lack the fields that a cluster sets, so that you can apply them to another one.
set -eu
umask 077
copies=${1:?expected the folder for encrypted copies, such as /srv/backups}
namespace=${2:-almanakk}
mkdir -p "$copies"
copy=$copies/almanakk-$(date +%Y-%m-%dT%H-%M-%S).tar.gz.age
recipients=backup-recipients.txt
folder=$(mktemp --directory)
trap 'rm -rf "$folder" "$copy.unfinished"' EXIT
trap 'exit 1' HUP INT TERM

in_builder() { kubectl --namespace "$namespace" exec deploy/builder -- "$@"; }

# expect_room FOLDER BYTES
expect_room() {
  free=$(df --output=avail --block-size=1 "$1" | tail -n 1 | tr -d ' ')
  if ! [ "$free" -ge "$2" ]; then
    echo "kubernetes-backup.sh: expected room for $2 bytes on the disk with $1, found $free. No copy has been made or removed" >&2
    exit 1
  fi
}
# An archive takes at most as much as its files. The secrets and the calendar are small. The folder gets the archive of the volume, and one with it.
size=$(in_builder sh docs/archive.sh /data --size)
: "${size:?expected the size of the volume, found none}"
expect_room "$folder" $((size * 2))
expect_room "$copies" "$size"

archive_volume() {
  in_builder sh docs/archive.sh /data > "$folder/builder.tar.gz"
}
# It fails if a build ends in the meantime.
archive_volume || archive_volume || archive_volume
gzip --test "$folder/builder.tar.gz"

# The calendar may be in another kind of volume.
export_objects() {
  kubectl --namespace "$namespace" get "$@" --ignore-not-found --output yaml > "$folder/all.yaml"
  sed -E '/^ {2}( {2})?(creationTimestamp|resourceVersion|uid):/d' "$folder/all.yaml"
  rm "$folder/all.yaml"
}
# Your own secrets, which have this type. Not the certificate, which cert-manager gets again.
export_objects secret --field-selector type=Opaque > "$folder/secrets.yaml"
export_objects configmap/calendar > "$folder/calendar.yaml"
tar --create --gzip --file "$folder/all.tar.gz" --directory "$folder" builder.tar.gz secrets.yaml calendar.yaml
age --recipients-file "$recipients" --output "$copy.unfinished" "$folder/all.tar.gz"
mv "$copy.unfinished" "$copy"
ls "$copies"/almanakk-*.tar.gz.age | head -n -14 | xargs --no-run-if-empty --delimiter '\n' rm
# The builder warns when this file is old: ALMANAKK_BACKUP_MARK.
in_builder touch /data/backup.copied
