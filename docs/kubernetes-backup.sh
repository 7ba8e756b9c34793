#!/bin/sh
# kubernetes-backup.sh COPY: writes an archive of the builder's volume, with the calendar and the secrets, to the file COPY. age encrypts it
# for the recipients in backup-recipients.txt. The objects lack the fields that a cluster sets, so that you can apply them to another one.
set -eu
umask 077
copy=${1:?expected the path of the encrypted copy, such as almanakk.tar.gz.age}
recipients=backup-recipients.txt
folder=$(mktemp --directory)
trap 'rm -rf "$folder" "$copy.unfinished"' EXIT
trap 'exit 1' HUP INT TERM

archive_volume() {
  kubectl --namespace almanakk exec deploy/builder -- sh docs/archive.sh /data > "$folder/builder.tar.gz"
}
# It fails if a build ends in the meantime.
archive_volume || archive_volume || archive_volume
gzip --test "$folder/builder.tar.gz"

# The calendar may be in another kind of volume, and the secret with the keys may not exist.
export_objects() {
  kubectl --namespace almanakk get "$@" --ignore-not-found --output yaml > "$folder/all.yaml"
  sed -E '/^ {2}( {2})?(creationTimestamp|resourceVersion|uid):/d' "$folder/all.yaml"
  rm "$folder/all.yaml"
}
kubectl --namespace almanakk get secret/signing secret/builder secret/replica > /dev/null
export_objects secret/signing secret/builder secret/replica secret/keys > "$folder/secrets.yaml"
export_objects configmap/calendar > "$folder/calendar.yaml"
tar --create --gzip --file "$folder/all.tar.gz" --directory "$folder" builder.tar.gz secrets.yaml calendar.yaml
age --recipients-file "$recipients" --output "$copy.unfinished" "$folder/all.tar.gz"
mv "$copy.unfinished" "$copy"
