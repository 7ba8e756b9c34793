#!/bin/sh
# install-sqlite3.sh FOLDER: installs the binary of sqlite3 into the package in FOLDER, after `npm ci --ignore-scripts` there.
#
# sqlite3.sha256 has the hashes of the published binaries, which `npm run release` records. A package that you have made yourself lacks
# this file: npm then runs the script of sqlite3, which downloads a binary that nothing checks. With npm_config_build_from_source=sqlite3,
# and on platforms without a hash, npm compiles the source, which the lockfile's hash covers.
set -eu
cd "$1"
version=$(node --print 'require("sqlite3/package.json").version')
# Binaries for Linux need glibc. Those for musl, as in Alpine, have another name, and no hash.
libc=$(node --print 'process.platform === "linux" && !process.report.getReport().header.glibcVersionRuntime ? "musl" : ""')
archive=sqlite3-v$version-napi-v6-$(node --print process.platform)$libc-$(node --print process.arch).tar.gz

run_script() {
  npm rebuild sqlite3 --ignore-scripts=false --foreground-scripts
}

if [ "${npm_config_build_from_source:-}" != '' ]; then
  run_script
elif [ ! -e sqlite3.sha256 ]; then
  echo 'sqlite3: this package has no sqlite3.sha256, so nothing checks a binary that npm downloads' >&2
  run_script
elif ! expected=$(grep -- "  $archive\$" sqlite3.sha256); then
  echo "sqlite3: sqlite3.sha256 has no hash of $archive, so npm compiles it" >&2
  export npm_config_build_from_source=sqlite3
  run_script
else
  # The script of sqlite3 reads the same variable.
  host=${npm_config_sqlite3_binary_host:-https://github.com/TryGhost/node-sqlite3/releases/download}
  trap 'rm -f "$archive"' EXIT
  curl --fail --silent --show-error --location --output "$archive" "$host/v$version/$archive"
  found=$(sha256sum "$archive")
  if [ "$found" != "$expected" ]; then
    echo "sqlite3: expected $expected, found $found. To compile sqlite3 instead, set npm_config_build_from_source=sqlite3." >&2
    exit 1
  fi
  tar --extract --gzip --no-same-owner --directory node_modules/sqlite3 --file "$archive"
fi
node --require sqlite3 --eval 0
