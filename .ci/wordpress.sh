#!/usr/bin/env bash
# Tries the plugin docs/examples/almanakk-events in WordPress from Debian's packages, with MariaDB, PHP-FPM and nginx, through HTTP. Run it as root on
# Linux with debootstrap, curl, git and openssl. The checkout is set up (`npm run setup`).
#
#   wordpress.sh RELEASE   12, 13, or the name of another suite of Debian, such as forky
#
# It makes the Debian system in /var/tmp/almanakk-wordpress/RELEASE, unless it is there: delete the folder to get newer packages. The sites are made
# anew in each run, and stay out of this folder. All processes are in namespaces of their own, without a way out, and end with the run. The sites:
#
#   konsern.example   serves its list of hidden events to the other sites of its group
#   avis.example      reads this list. Its pages come from a cache in nginx, which the plugin purges
#   blad.example      the main site of a network
#   bygd.example      another site of this network, with its own domain; both read the list, too
#
# .ci/wordpress/trial.mjs installs and tries them, and writes test/results/wordpress-debian12.md, with the name of the release.
set -euo pipefail
release=${1:?expected 12, 13 or the name of a suite}
checkout=$(realpath "$(dirname "$0")/..")
place=/var/tmp/almanakk-wordpress
tree=$place/$release
run=$place/run-$release
root=$run/root
mirror=http://deb.debian.org/debian
hosts='konsern.example avis.example blad.example bygd.example'
group_word=$(openssl rand -hex 16)

suite_of() {
  case $1 in
    12) echo bookworm ;;
    13) echo trixie ;;
    *) echo "$1" ;;
  esac
}

make_tree() {
  local suite script
  suite=$(suite_of "$release")
  # Newer suites than this computer's debootstrap knows are made like sid.
  script=/usr/share/debootstrap/scripts/$suite
  if [[ ! -e $script ]]; then script=/usr/share/debootstrap/scripts/sid; fi
  rm -rf "$tree.new"
  mkdir -p "$place"
  debootstrap --variant=minbase --include=ca-certificates "$suite" "$tree.new" "$mirror" "$script"
  if [[ $release =~ ^[0-9]+$ ]]; then
    printf 'deb %s %s main\n' "$mirror" "$suite" "$mirror" "$suite-updates" http://deb.debian.org/debian-security "$suite-security" > "$tree.new/etc/apt/sources.list"
  fi
  # A mirror may be some weeks behind.
  echo 'Acquire::Check-Valid-Until "false";' > "$tree.new/etc/apt/apt.conf.d/90mirror"
  # Nothing starts when it is installed.
  printf '#!/bin/sh\nexit 101\n' > "$tree.new/usr/sbin/policy-rc.d"
  chmod 755 "$tree.new/usr/sbin/policy-rc.d"
  cp /etc/resolv.conf "$tree.new/etc/resolv.conf"
  cat > "$tree.new/root/install.sh" << 'END'
apt-get update --quiet
apt-get dist-upgrade --quiet --yes
# The default theme of this version.
theme=$(apt-cache show wordpress | grep --only-matching 'wordpress-theme-[a-z0-9]*' | head -n 1)
apt-get install --quiet --yes --no-install-recommends wordpress "$theme" mariadb-server nginx libnginx-mod-http-cache-purge \
  php-cli php-curl php-fpm php-mbstring php-xml php-zip
apt-get clean
END
  TREE=$tree.new unshare --mount --pid --fork --kill-child bash -euc 'mount -t proc proc "$TREE/proc"
    exec chroot "$TREE" env --ignore-environment HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -eu /root/install.sh'
  mv "$tree.new" "$tree"
}

in_tree() {
  chroot "$root" env --ignore-environment HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

mount_root() {
  mkdir -p "$run"/{upper,work,root}
  mount -t overlay overlay -o "lowerdir=$tree,upperdir=$run/upper,workdir=$run/work" "$root"
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  ip link set lo up
  # shellcheck disable=SC2086
  printf '127.0.0.1 %s\n' localhost $hosts > "$run/hosts"
  mount --bind "$run/hosts" /etc/hosts
  cp "$run/hosts" "$root/etc/hosts"
}

make_certificate() {
  local names
  # shellcheck disable=SC2086
  names=$(printf ',DNS:%s' $hosts)
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=almanakk -addext "subjectAltName=${names#,}" \
    -keyout "$root/etc/ssl/private/sites.key" -out "$run/certificate.pem" 2> /dev/null
  cp "$run/certificate.pem" "$root/etc/ssl/certs/sites.pem"
  # WordPress on one site requests pages of the others.
  cp "$run/certificate.pem" "$root/usr/local/share/ca-certificates/sites.crt"
  in_tree update-ca-certificates > /dev/null 2>&1
}

# make_site NAME [LINE…]: the files of a site, with further lines in wp-config.php.
make_site() {
  local folder=$root/srv/$1
  in_tree cp --recursive --dereference /usr/share/wordpress "/srv/$1"
  rm -f "$folder/wp-config.php"
  mkdir -p "$folder/wp-content"/{mu-plugins,plugins,uploads,upgrade,languages}
  cp "$checkout/.ci/wordpress/surroundings.php" "$folder/wp-content/mu-plugins/"
  cat > "$folder/wp-config.php" << END
<?php
define('DB_NAME', '$1');
define('DB_USER', 'www-data');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost');
define('DB_CHARSET', 'utf8mb4');
define('WP_DEBUG', true);
define('WP_DEBUG_DISPLAY', false);
define('WP_DEBUG_LOG', '/var/log/sites/$1.log');
define('DISABLE_WP_CRON', true);
define('ALMANAKK_URL', 'http://127.0.0.1:4000');
$(printf '%s\n' "${@:2}")
\$table_prefix = 'wp_';
/* That's all, stop editing! */
defined('ABSPATH') || define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
END
  in_tree chown --recursive www-data: "/srv/$1"
  in_tree mariadb --execute "create database $1"
}

start_mariadb() {
  in_tree install --directory --owner mysql --group mysql /run/mysqld
  in_tree mariadbd --user=mysql --skip-networking > "$run/mariadb.log" 2>&1 &
  until_answers MariaDB in_tree mariadb --execute 'select 1'
  in_tree mariadb --execute "create user 'www-data'@localhost identified via unix_socket; grant all on *.* to 'www-data'@localhost"
}

start_php() {
  local version
  version=$(in_tree php -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
  in_tree install --directory --owner www-data /var/log/sites
  mkdir -p "$root/run/php"
  cat > "$root/etc/php/$version/fpm/pool.d/www.conf" << 'END'
[www]
user = www-data
group = www-data
listen = 127.0.0.1:9000
pm = static
pm.max_children = 8
php_value[error_log] = /var/log/sites/php.log
php_value[error_reporting] = -1
php_value[opcache.revalidate_freq] = 0
END
  in_tree "php-fpm$version" --nodaemonize > "$run/php-fpm.log" 2>&1 &
}

start_nginx() {
  rm -f "$root/etc/nginx/sites-enabled/"*
  cp "$checkout/.ci/wordpress/nginx.conf" "$root/etc/nginx/conf.d/sites.conf"
  in_tree nginx -g 'daemon off;' > "$run/nginx.log" 2>&1 &
  until_answers nginx curl --silent --output /dev/null --cacert "$run/certificate.pem" https://konsern.example/license.txt
}

# until_answers WHAT COMMAND…
until_answers() {
  local try
  for ((try = 0; try < 120; try++)); do
    if "${@:2}" > /dev/null 2>&1; then return; fi
    sleep 0.5
  done
  echo "wordpress.sh: expected $1 to answer within a minute. Its log: $run" >&2
  exit 1
}

try_plugin() {
  local commit list="https://konsern.example/?almanakk_hidden=$group_word"
  mount_root
  make_certificate
  start_mariadb
  make_site konsern "define('ALMANAKK_SERVE_HIDDEN', '$group_word');"
  make_site avis "define('ALMANAKK_HIDDEN_URL', '$list');" "define('ALMANAKK_PURGE_URL', 'http://127.0.0.1:8081');"
  make_site nett "define('WP_ALLOW_MULTISITE', true);" "define('ALMANAKK_HIDDEN_URL', '$list');"
  start_php
  start_nginx
  commit=$(git -C "$checkout" rev-parse --short=8 HEAD)
  git -C "$checkout" archive --format=zip --output="$run/almanakk-events.zip" "$commit:docs/examples" almanakk-events
  cd "$checkout"
  NODE_EXTRA_CA_CERTS=$run/certificate.pem CURL_CA_BUNDLE=$run/certificate.pem \
    COMMIT=$commit RELEASE=$release ROOT=$root PLACE=$run WORD=$group_word node --import tsx .ci/wordpress/trial.mjs
}

if [[ ${INSIDE:-} ]]; then
  try_plugin
else
  if [[ ! -e $tree ]]; then make_tree; fi
  rm -rf "$run"
  INSIDE=yes unshare --mount --net --pid --fork --kill-child --mount-proc bash "$0" "$release"
fi
