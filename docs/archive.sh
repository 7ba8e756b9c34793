#!/bin/sh
# archive.sh FOLDER: writes an archive of the data volume of a container to standard output. Leaves out the files that a build writes again,
# and those that unarchive.sh has replaced. Fails if a build that ends in the meantime removes a file, or serves another snapshot: run it again.
# archive.sh FOLDER --size: prints how many bytes these files have. The archive takes at most as much.
set -eu
cd "$1"
# The manifest names the snapshot that is served. After `almanakk restore`, this is not the newest file.
served() {
  sed -n 's/^ *"file": "\(.*\)",$/\1/p' snapshots/manifest.json
}
# The pipe below hides the exit code of find, such as that for a folder that cannot be read.
find . \( -path ./lost+found -o -path ./.before \) -prune -o -print > /dev/null
named=$(served)
: "${named:?expected names of files in manifest.json, found none}"
list() {
  find . \( -path ./lost+found -o -path ./.before \) -prune -o ! -type d ! -path './trial/*' ! -path './snapshots/calendar-*' \
    ! -path './snapshots/public-*' ! -path ./snapshots/builder.json ! -path './snapshots/.unfinished-*' -print0
  printf './snapshots/%s\0' $named
}
if [ "${2:-}" = --size ]; then
  list | du --files0-from=- --bytes --total 2> /dev/null | tail -n 1 | cut -f 1
  exit
fi
# Exit code 1 means that a file changed while tar read it.
list | tar --create --gzip --null --files-from - || [ $? = 1 ]
if [ "$named" != "$(served)" ]; then
  echo 'expected the same snapshot to be served until the end, found another: run this again' >&2
  exit 1
fi
