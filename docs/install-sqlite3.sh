#!/bin/sh
# install-sqlite3.sh FOLDER: installs the binary of sqlite3 into the package in FOLDER, after `npm ci --ignore-scripts` there.
#
# sqlite3.sha256 has the hashes of the published binaries, which `npm run release` records. Without a hash for this platform, as in a package
# that you have made yourself, npm compiles the source, which the lockfile's hash covers. npm_config_build_from_source=sqlite3 compiles it in
# any case. With SQLITE3_UNCHECKED=yes, a package without sqlite3.sha256 gets a published binary that nothing checks.
set -eu
cd "$1"
version=$(node --print 'require("sqlite3/package.json").version')
# Binaries for Linux need glibc. Those for musl, as in Alpine, have another name, and no hash.
libc=$(node --print 'process.platform === "linux" && !process.report.getReport().header.glibcVersionRuntime ? "musl" : ""')
archive=sqlite3-v$version-napi-v6-$(node --print process.platform)$libc-$(node --print process.arch).tar.gz

run_script() {
  npm rebuild sqlite3 --ignore-scripts=false --foreground-scripts
}

compile() {
  export npm_config_build_from_source=sqlite3
  # The C headers that were installed with Node. Otherwise npm downloads them from nodejs.org.
  prefix=$(node --print 'path.resolve(process.execPath, "../..")')
  if [ -e "$prefix/include/node/node_api.h" ]; then export npm_config_nodedir="${npm_config_nodedir:-$prefix}"; fi
  if ! run_script; then
    echo 'sqlite3: npm could not compile it. This needs python3, make and g++: apt-get install --yes python3 make g++' >&2
    exit 1
  fi
}

if [ "${npm_config_build_from_source:-}" != '' ]; then
  compile
elif [ ! -e sqlite3.sha256 ] && [ "${SQLITE3_UNCHECKED:-}" = yes ]; then
  echo 'sqlite3: nothing checks the binary that npm downloads, because this package has no sqlite3.sha256' >&2
  run_script
elif [ ! -e sqlite3.sha256 ]; then
  echo 'sqlite3: this package has no sqlite3.sha256, so npm compiles it, which takes a few minutes' >&2
  compile
elif ! expected=$(grep -- "  $archive\$" sqlite3.sha256); then
  echo "sqlite3: sqlite3.sha256 has no hash of $archive, so npm compiles it" >&2
  compile
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
