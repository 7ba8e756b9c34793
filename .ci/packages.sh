#!/usr/bin/env bash
# Makes the packages that debian.sh installs on a machine, each by npm pack:
#
#   almanakk-VERSION.tgz       this checkout
#   next/almanakk-99.0.0.tgz   the same code with the next snapshot format: another number, and a column that this version does not know
#   older/almanakk-1.0.0.tgz   release 1.0.0 as it was just before this format, and its guide: format 3, another service, other scripts
#
# Needs the whole history, and npm's registry for the packages of 1.0.0. SHA256 names a file that goes into the first two packages as sqlite3.sha256,
# as in a release; without it, the machine compiles sqlite3.
set -euo pipefail
cd "$(dirname "$0")/.."
# The last commit with format 3, which 1.0.0 has. No other release had one.
old=78b0e3cd437d193a5384507aafb9f70ceaba6b27
next=99.0.0

place=$(mktemp --directory)
trap 'rm -rf "$place"; rm -f sqlite3.sha256' EXIT
if [[ ${SHA256:-} ]]; then cp "$SHA256" sqlite3.sha256; fi
npm pack

mkdir "$place/next"
git ls-files -z | tar --create --null --files-from - | tar --extract --directory "$place/next"
if [[ ${SHA256:-} ]]; then cp "$SHA256" "$place/next/sqlite3.sha256"; fi
ln --symbolic "$PWD/node_modules" "$place/next/node_modules"
(
  cd "$place/next"
  format=$(sed -n 's/^export const FORMAT = \([0-9]*\);$/\1/p' src/snapshot/format.ts)
  sed --in-place "s/^export const FORMAT = .*/export const FORMAT = $((format + 1));/; s/^  .{eventColumns.join(.*)}$/&, of_next text/" src/snapshot/format.ts
  grep --quiet 'of_next text' src/snapshot/format.ts
  sed --in-place "0,/\"version\": \".*\"/s//\"version\": \"$next\"/" package.json package-lock.json
  npm pack
)
mkdir -p next older
mv "$place/next/almanakk-$next.tgz" next

git show "$old:docs/operating.md" > older/operating.md
if [[ ! -e older/almanakk-1.0.0.tgz ]]; then
  mkdir "$place/older"
  git archive "$old" | tar --extract --directory "$place/older"
  (cd "$place/older" && npm ci --no-audit --no-fund && npm pack)
  mv "$place/older/almanakk-1.0.0.tgz" older
fi
