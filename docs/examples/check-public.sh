#!/bin/sh
# check-public.sh ADDRESS: requests a calendar at its public address, such as https://kalender.example/, as callers do. It prints a line for each
# problem, and exits with 1 if there is one. Run it from cron on another machine, which needs curl and openssl.
set -u
address=${1%/}
status=0
problem() {
  printf '%s: %.300s\n' "$address" "$*"
  status=1
}
request() { curl --fail --silent --show-error --max-time 30 "$@" 2>&1; }

ready=$(request "$address/readyz")
code=$?
# 22: the server has answered, but not with 200.
if [ "$code" -ne 0 ]; then problem "$ready"; fi
if [ "$code" -ne 0 ] && [ "$code" -ne 22 ]; then exit 1; fi

if [ "$code" -eq 0 ]; then
  age=$(printf '%s' "$ready" | sed -n 's/.*"ageSeconds":\([0-9]*\).*/\1/p')
  if [ -z "$age" ]; then problem "expected the age of the calendar at /readyz, found $ready"; fi
  if [ "${age:-0}" -ge 93600 ]; then problem "the calendar is $((age / 3600)) hours old"; fi
fi

query='{"query":"{ events(pageSize: 1) { totalCount } }"}'
answer=$(request --header 'Content-Type: application/json' --data "$query" "$address/graphQL")
case $answer in
  '{"data":{"events":{"totalCount":'[0-9]*) ;;
  *) problem "expected an answer at /graphQL, found $answer" ;;
esac

host=${address#https://}
host=${host%%/*}
case $host in
  *:*) ;;
  *) host=$host:443 ;;
esac
fourteen_days=1209600
openssl s_client -connect "$host" -servername "${host%:*}" < /dev/null 2> /dev/null \
  | openssl x509 -noout -checkend "$fourteen_days" > /dev/null 2>&1 || problem 'the certificate expires within 14 days'
exit "$status"
