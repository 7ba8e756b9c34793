#!/bin/sh
# compose-switch.sh IMAGE: builds with another image while the server continues, writes the image to .env, and replaces the container.
# Builds nothing if the calendar is copied from an origin.
# Returns to the previous image if the build is refused, or if the server does not become ready.
set -eu
umask 077
image=${1:?expected the image of a release}
cd "$(dirname "$0")"
if ! grep --quiet '^IMAGE=' .env; then
  echo 'compose-switch.sh: expected a line with IMAGE in .env, found none' >&2
  exit 1
fi
before=.env.before-switch
# An earlier switch that was killed has left the file: its image is the one to return to.
known=.env
if [ -e "$before" ]; then known=$before; fi
line=$(grep --max-count 1 '^IMAGE=' "$known")
sed "s|^IMAGE=.*|$line|" .env > "$before.new"
mv "$before.new" "$before"
is_replaced=''

# First the server alone, so that Caddy holds the requests meanwhile: Compose replaces a container together with those that depend on it.
start() {
  docker compose up --detach --wait --wait-timeout 300 almanakk && docker compose up --detach --wait --wait-timeout 300
}

undo() {
  trap '' HUP INT TERM
  echo "compose-switch.sh: $failed, see above. Returning to the previous image" >&2
  cat "$before" > .env
  rm "$before"
  if [ "$is_replaced" ] && ! start; then
    echo 'compose-switch.sh: the server is not ready with that image either. Read its log: docker compose logs almanakk' >&2
  fi
  exit 1
}

failed='the new image could not build the calendar'
trap undo EXIT
trap 'exit 1' HUP INT TERM
sed "s|^IMAGE=.*|IMAGE=$image|" "$before" > .env
if ! grep --quiet --no-messages '^ALMANAKK_ORIGIN=.' almanakk.env; then
  docker compose run --rm --no-TTY almanakk node dist/jobs/cli.js rebuild --wait 60
fi
failed='the server did not become ready within five minutes'
is_replaced=true
start
trap - EXIT HUP INT TERM
rm "$before"
