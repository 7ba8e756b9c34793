#!/bin/sh
# unarchive.sh FOLDER ARCHIVE: replaces the files in the data volume of a container with those of an archive of archive.sh. Changes nothing if the
# archive is damaged, lacks its snapshot or does not fit. The previous files stay in FOLDER/.before until the next run. With `previous` as ARCHIVE,
# they change places with the present ones. If a run was killed, run it again with the same ARCHIVE.
set -eu
archive=$2
cd "$1"

refuse() {
  echo "unarchive.sh: $1. Nothing has been changed" >&2
  exit 1
}

unpack() {
  gzip --test "$archive" || refuse "$archive is damaged"
  bytes=$(tar --list --verbose --numeric-owner --file "$archive" | awk '{ sum += $3 + 4096 } END { printf "%.0f", sum }')
  free=$(df --output=avail --block-size=1 . | tail -n 1 | tr -d ' ')
  if [ "$free" -lt "$bytes" ]; then refuse "expected room for $bytes bytes in the volume, found $free"; fi
  mkdir .unpacked
  tar --extract --gzip --file "$archive" --directory .unpacked
  # The manifest has the name of each file before its hash.
  awk -F '"' '$2 == "file" { file = $4 } $2 == "sha256" { print $4 "  " file }' .unpacked/snapshots/manifest.json > .unpacked/.sums ||
    refuse "expected snapshots/manifest.json in $archive, found none"
  (cd .unpacked/snapshots && sha256sum --check --quiet ../.sums) || refuse "expected the files of manifest.json in $archive"
  rm .unpacked/.sums
}

rm -rf .unpacked
if [ "$archive" = previous ]; then
  new=.before
  [ -d $new ] || refuse 'expected the previous files in .before, found none'
else
  new=.unpacked
  trap 'rm -rf .unpacked' EXIT
  unpack
fi

# A run that was killed may have moved some files out of place, and new ones into it.
mkdir -p .replaced
for path in * .[!.]*; do
  case $path in lost+found | restore.tar.gz | .before | .unpacked | .replaced) continue ;; esac
  if [ ! -e "$path" ]; then continue; fi
  if [ ! -e ".replaced/$path" ]; then
    mv "$path" .replaced
  elif [ -e "$new/$path" ]; then
    rm -rf "$path"
  else
    mv "$path" $new
  fi
done
find $new -mindepth 1 -maxdepth 1 -exec mv --target-directory . {} +
rm -rf .before
mv .replaced .before
echo "restored $archive. The previous files are in $1/.before"
