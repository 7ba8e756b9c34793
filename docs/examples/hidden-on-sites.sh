#!/bin/sh
# hidden-on-sites.sh EVENT SITES: says which newspapers' sites still show an event that was hidden on all of them. EVENT is the address of its page on
# any of the sites, or its slug. SITES is a file with a line for each site: the address to which the slug of an event is added, and then, after
# blanks, the addresses of pages with lists of events. A line that begins with # is a remark.
#   https://avisen.example/arrangement/ https://avisen.example/ https://avisen.example/kalender/
# It prints a line for each page that is not as expected, and for each site that hides the event; those that still show it come first. It exits with
# 0 only if all sites hide the event and can read the list of the group. It asks 20 sites at a time, and waits 10 seconds at most for each page. It
# needs curl 7.75 or later.
set -uf
at_once=20
seconds=10

refuse() {
  echo "hidden-on-sites.sh: $1" >&2
  exit 2
}

# request ADDRESS: sets `answer`, which is the headers and the body, `status`, which is 000 without an answer, and the `reason` for that.
request() {
  written=$(curl --silent --location --max-redirs 3 --max-time "$seconds" --dump-header - --write-out '\n%{http_code} %{errormsg}' "$1" | tr -d '\0\r')
  last=$(printf '%s\n' "$written" | tail -n 1)
  answer=${written%"$last"}
  status=${last%% *}
  reason=${last#* }
}

# Of the copy in a cache, if the answer comes from one that says so.
from_cache() {
  printf %s "$answer" | sed -n 's/^[Aa][Gg][Ee]: *\([0-9][0-9]*\)$/ from a cache, \1 s old/p' | tail -n 1
}

# Judges one site, in a process of its own. A line begins with the verdict, by which all lines are sorted.
check() {
  slug=$1
  day=$2
  # shellcheck disable=SC2086 # The addresses of the line.
  set -- $3
  base=$1
  shift
  case $base in
    *\?*) first='&' ;;
    *) first='?' ;;
  esac
  verdicts=0
  say() {
    printf '%-12s  %s: %.200s\n' "$1" "$2" "$3"
    verdicts=1
  }
  for page in "$base$slug" ${day:+"$base$slug${first}dato=$day"}; do
    request "$page"
    case $status in
      410) ;;
      200) say 'still shown' "$page" "expected 410, found 200$(from_cache)" ;;
      000) say 'no answer' "$page" "$reason" && return ;;
      *) say 'other answer' "$page" "expected 410, found $status" ;;
    esac
  done
  for page; do
    request "$page"
    if [ "$status" = 000 ]; then
      say 'no answer' "$page" "$reason"
    elif [ "$status" != 200 ]; then
      say 'other answer' "$page" "expected 200, found $status"
    elif printf %s "$answer" | grep -q -E "[/=]$slug([^A-Za-z0-9_-]|\$)"; then
      say 'still shown' "$page" "expected no link to the event, found one$(from_cache)"
    fi
  done
  request "$base$slug${first}almanakk_hidden=copy"
  state=$(printf %s "$answer" | tail -n 1)
  case $state in
    '{"list":"own",'* | '{"list":"copy","failingSeconds":0}') ;;
    '{"list":"copy",'*) say 'old list' "$base" "could not read the group's list for the last $(printf %s "$state" | tr -cd 0-9) s" ;;
    '{"list":"none",'*) say 'no list' "$base" "expected ALMANAKK_HIDDEN_URL, found none" ;;
    *) say 'no list' "$base" "expected the state of the group's list, found status $status" ;;
  esac
  if [ "$verdicts" = 0 ]; then printf '%-12s  %s\n' hidden "$base$slug"; fi
}

if [ "${1-}" = --site ]; then
  shift
  check "$@"
  exit
fi

if [ $# != 2 ]; then refuse 'expected an event, and a file with the addresses of sites'; fi
case $1 in
  *[?\&]arrangement=*) slug=${1##*[?&]arrangement=} ;;
  *) slug=${1%%[?#]*} && slug=${slug%/} && slug=${slug##*/} && slug=${slug%.html} ;;
esac
slug=${slug%%[&#]*}
case $slug in '' | *[!A-Za-z0-9_-]*) refuse "expected the address of an event's page, or its slug, found $1" ;; esac
# A cache keeps a page of its own for each date.
day=$(printf %s "$1" | sed -n 's/.*[?&]dato=\([0-9-]*\).*/\1/p')
sites=$(sed -e 's/^[[:space:]]*//' -e '/^#/d' -e '/^$/d' -- "$2") || exit 2
if [ ! "$sites" ]; then refuse "expected addresses of sites in $2, found none"; fi
if wrong=$(printf '%s\n' "$sites" | grep -v -E '^https?://[^[:space:]]+[/=]([[:space:]]|$)'); then
  refuse "expected addresses that end with / or =, such as https://avisen.example/arrangement/, found $wrong"
fi

lines=$(printf '%s\n' "$sites" | tr '\n' '\0' | xargs -0 -n 1 -P "$at_once" sh "$0" --site "$slug" "$day" | sort -r)
printf '%s\n' "$lines"
printf '%s of %s sites hide the event\n' "$(printf '%s\n' "$lines" | grep -c '^hidden ')" "$(printf '%s\n' "$sites" | wc -l | tr -d ' ')"
if printf '%s\n' "$lines" | grep -q -v '^hidden '; then exit 1; fi
