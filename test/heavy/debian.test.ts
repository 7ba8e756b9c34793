/**
 * What docs/ says from an empty Debian machine to https, block by block, as root on a machine of its own: the files are those of the
 * package, lines run as they are. In place of Debian's and NodeSource's servers, apt-get, systemd, certbot and, but for `--long`,
 * npm there are the programs of test/fixtures/debian.
 *
 * The loop near the end makes the tests, in the order of the pages: one that saves the file of a block or runs its lines, and then the
 * tests of its entry in `STEPS`, if it has one. A test fails if a page no longer has the block of an entry.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resizedWith } from '../../src/annexes/resized/resized.ts';
import { packagePath } from '../../src/package.ts';
import { assertAbove, assertIncludes } from '../helpers/assertions.ts';
import { bootMachine, canBoot, type Machine } from '../helpers/debian-machine.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { canResize } from '../helpers/nginx.ts';
import { packInto } from '../helpers/pack.ts';
import { IS_LONG } from '../helpers/run-options.ts';
import { hasPart, isExpected, when } from '../helpers/when.ts';
import { type Block, debianBlocks, FROM_1_0_0, theBlock } from '../readme/blocks.ts';
import { readPage } from '../readme/document.ts';

const BLOCKS = debianBlocks();

const VERSION = versionIn(packagePath('package.json'));
/** The version to upgrade to: the same code under another number, with another line in a file of the setup. */
const NEXT = '99.0.0';
const NEXT_LINE = '# The next version has this line.';
/** The files that have it: the operator has edited the first. */
const CHANGED = [
  'etc/almanakk/.env',
  'etc/systemd/system/almanakk@.service',
  'usr/local/sbin/almanakk-backup',
];
/** The name of this machine, in place of the one in the page. */
const DOMAIN = 'kalender.lillevik.example';

interface Context {
  machine: Machine;
  /** The output of the block before. */
  output: string;
  /** The first snapshot that is served. */
  id: string;
  /** The modes of folders that belong to Debian. */
  modes: string;
}

const isPossible = canBoot() && canResize && ['openssl', 'curl', 'age', 'nft'].every(isExpected);
const LACK = 'not root, no namespaces, or nginx, its image filter, openssl, curl, age or nft missing';
const debian = when(isPossible, LACK, suite<Context>('a Debian machine'));

debian.before(async (context) => {
  const [shared, programs] = [temporaryFolder(), temporaryFolder()];
  await pack(shared);
  cpSync(packagePath('test/fixtures/debian'), programs, { recursive: true });
  if (IS_LONG) rmSync(join(programs, 'npm'));
  context.machine = await bootMachine({ shared, programs });
  context.machine.run(`echo 127.0.0.1 ${DOMAIN} lillevik.example >> /etc/hosts`);
  // With all authorities of Debian, each curl would take three times the CPU. Certbot adds its own.
  if (!IS_LONG) context.machine.run(': > /etc/ssl/certs/ca-certificates.crt');
  context.modes = context.machine.run(MODES);
  for (const path of OF_1_0_0) context.machine.save(path, 'of 1.0.0');
  context.machine.run('mkdir -p /opt/almanakk; ln -s almanakk-1.0.0 /opt/almanakk/current');
  context.machine.run(`systemctl() { echo "$*"; }\n${theBlock(FROM_1_0_0).text}`);
});

/** Files of 1.0.0, of which the setup replaces some. If one stayed, the installation would leave it as it is. */
const OF_1_0_0 = [
  '/etc/nginx/conf.d/almanakk.conf',
  '/etc/nginx/snippets/almanakk.conf',
  '/etc/systemd/system/almanakk-backup.service',
  '/etc/systemd/system/almanakk-backup.timer',
  '/etc/systemd/system/almanakk.service',
  '/usr/local/sbin/almanakk',
  '/usr/local/sbin/almanakk-backup',
  '/usr/local/sbin/almanakk-install',
];

debian('should have moved the files of 1.0.0 into an archive', ({ machine }) => {
  const listed = machine.run('tar --list --file /root/almanakk-1.0.0.tar | sort');
  assert.is(listed, OF_1_0_0.map((path) => `${path.slice(1)}\n`).join(''));
  assert.is(machine.run(`ls -d ${OF_1_0_0.join(' ')} /opt/almanakk/current 2> /dev/null || true`), '');
});

debian.after(({ machine }) => machine.close());

interface Step {
  /** Words in the lines of its block. */
  readonly says: RegExp;
  /** What runs in place of these lines: other lines, or the same with other words. */
  readonly instead?: (text: string) => string;
  /** H17: whether the lines run a second time, to see that they then change nothing. */
  readonly isRepeatable?: true;
  /** Tests after the block has run, by their titles. */
  readonly checks?: Readonly<Record<string, (context: Context) => void>>;
}

/** The blocks that do not run as they are, or after which something is checked. */
const STEPS: Readonly<Record<string, Step>> = {
  packages: {
    says: /install .*\bcertbot\b/,
    // The packages are those of this machine; Debian starts nginx when it is installed.
    instead: (text) => `cp /mnt/shared/almanakk-${VERSION}.tgz .
mkdir -p /var/log/nginx /var/lib/nginx
test -e /run/nginx.pid || nginx
${text.replaceAll(/^(?:apt-get|curl|fingerprints=|test "\$fingerprints").*/gm, '')}`,
    isRepeatable: true,
  },
  node: {
    says: /install .*\bnodejs$/m,
    instead: () => 'node --version',
  },
  install: {
    says: /almanakk-install almanakk-\*/,
    isRepeatable: true,
    checks: {
      'should have the version in a folder that the service cannot write to': ({ machine }) => {
        assert.is(machine.run('readlink /opt/almanakk/current'), `almanakk-${VERSION}\n`);
        assert.is(versionOf(machine), VERSION);
        assert.is(machine.run('find -L /opt/almanakk -maxdepth 3 -user almanakk'), '');
      },
      'should refuse a version whose installation ended before it had the binary of sqlite3': ({
        machine,
      }) => {
        const half = '/opt/almanakk/half/node_modules';
        machine.run(`mkdir -p ${half} && touch ${half}/.package-lock.json`);
        assert.throws(() => machine.run('almanakk-activate half'), /expected a complete version/);
        assert.is(
          machine.run('readlink /opt/almanakk/current; rm -r /opt/almanakk/half'),
          `almanakk-${VERSION}\n`,
        );
      },
    },
  },
  service: {
    says: /^systemctl enable --now almanakk@build/m,
    isRepeatable: true,
    checks: {
      'H3: should serve this machine alone, as a user of its own': (context) => {
        context.id = idIn(context.output);
        const { machine } = context;
        assert.is(machine.run('ps -o user= -p "$(cat /run/almanakk@4000.pid)"'), 'almanakk\n');
        const listening = machine.run("ss --listening --tcp --numeric --no-header | awk '{ print $4 }'");
        assert.match(listening, /^127\.0\.0\.1:4000$/m);
        assert.not.match(listening, /^(\*|0\.0\.0\.0|\[::\]):4000$/m);
      },
      'should make a key pair for its settings by the line that it prints': ({ machine }) => {
        const line = 'install -o almanakk -m 600 /var/lib/almanakk/signing.pem /etc/almanakk/signing.pem';
        const there = () => machine.run('almanakk keys signing --out /etc/almanakk/signing.pem');
        assert.throws(there, (thrown: Error) => thrown.message.includes(line));
        assert.match(machine.run('almanakk keys signing --out /var/lib/almanakk/signing.pem'), line);
        machine.run(line);
        const made = machine.run('stat --format "%U %a" /etc/almanakk/signing.pem');
        assert.is(made, 'almanakk 600\n');
        machine.run('rm /var/lib/almanakk/signing.pem* /etc/almanakk/signing.pem');
      },
      'H2: should run commands with its settings, as its user': ({ machine }) => {
        assert.match(machine.run('almanakk keys issue --app Avisen'), /^alk_\w+$/m);
        const owners = machine.run('stat --format "%U %a" /var/lib/almanakk /etc/almanakk/.env');
        assert.is(owners, 'almanakk 750\nroot 640\n');
        assert.is(machine.run('find /var/lib/almanakk ! -user almanakk'), '');
      },
    },
  },
  restart: {
    says: /^almanakk-restart$/m,
    // The steps that follow restart them.
    instead: (text) => `export RESTARTS=listed\n${text}`,
    checks: {
      'should restart one server after the other, and then the builder': ({ output }) =>
        assert.is(output, restartsOf('almanakk@4000', 'almanakk@4001', 'almanakk@build')),
    },
  },
  strict: {
    says: /strict_transport/,
    checks: {
      'should send Strict-Transport-Security, with cached responses too': ({ machine }) => {
        // For a moment after the reload, nginx's earlier workers still accept connections.
        const header = `curl --silent --head ${HTTPS}/developers | grep --quiet --ignore-case strict-transport`;
        machine.run(`timeout 20 sh -c 'until ${header}; do sleep 0.1; done'`);
        for (const path of ['/developers', '/events.rss', '/events.rss']) {
          const headers = machine.run(
            `curl --fail --silent --dump-header - --output /dev/null ${HTTPS}${path}`,
          );
          assert.match(headers, /^strict-transport-security: max-age=15768000\r?$/im, path);
        }
      },
    },
  },
  connections: {
    says: /worker_rlimit_nofile/,
    checks: {
      'should let nginx hold more connections than Debian does': ({ machine }) => {
        const limits = machine.run("nginx -T 2> /dev/null | grep -Eo 'worker_[a-z_]+ [0-9]+;' | sort");
        assert.is(limits, 'worker_connections 4096;\nworker_rlimit_nofile 8192;\n');
      },
    },
  },
  https: {
    says: /^nginx -t$/m,
    isRepeatable: true,
    checks: {
      'should answer by https, with addresses of its own': ({ machine, output, id }) => {
        assert.is(idIn(output), id);
        const get = (path: string) => machine.run(`curl --fail --silent '${HTTPS}${path}'`);
        assert.not.match(machine.run(`curl --silent --head ${HTTPS}/developers`), /strict-transport/i);
        assert.match(get('/developers'), `${HTTPS}/graphQL`);
        assert.match(get('/events.rss'), `href="${HTTPS}/events.rss`);
        const query = '{"query":"{ events { totalCount } }"}';
        const json = "--header 'Content-Type: application/json'";
        const answer = machine.run(`curl --silent ${json} --data '${query}' ${HTTPS}/graphQL`);
        assertAbove(JSON.parse(answer).data.events.totalCount, 100, 'events');
      },
      'should send http to https': ({ machine }) => {
        const http = HTTPS.replace('https', 'http');
        assert.is(statusOf(machine, `${http}/events.rss?lang=en`), `301 ${HTTPS}/events.rss?lang=en`);
      },
      'H8: should refuse /status without its token': ({ machine }) =>
        assert.is(statusOf(machine, `${HTTPS}/status`), '401 '),
      'should let certbot renew the certificate by http': ({ machine }) => {
        machine.run(`certbot certonly --webroot-path /var/www/html --domain ${DOMAIN}`);
        machine.run('systemctl reload nginx');
      },
    },
  },
  pictures: {
    says: /^almanakk-pictures$/m,
    // Of the settings, only the servers read the secret. Later steps restart the builder, too.
    instead: (text) => `export RESTARTS=servers\n${text}`,
    checks: {
      'I17: should name copies, and have the picture server refuse all others': ({ machine }) => {
        const secret = machine.run("sed -n 's/^ALMANAKK_PICTURE_SECRET=//p' /etc/almanakk/.env").trim();
        assert.match(secret, /^[0-9a-f]{48}$/);
        assert.match(machine.run('cat /etc/nginx/almanakk-pictures.d/machine.conf'), `default "${secret}"`);
        const policy = machine.run(`curl --silent --head ${HTTPS}/events.html | grep --ignore-case img-src`);
        assert.match(policy, `img-src 'self' data: ${HTTPS};`);
        assert.is(statusOf(machine, `${HTTPS}/pictures/320/${'A'.repeat(22)}/bilder.example/a.png`), '403 ');
        // Nothing on this machine can be asked.
        const inside = resizedWith(secret)('https://bilder.example/a.png', 320, HTTPS);
        assert.is(statusOf(machine, `${inside}`), '502 ');
        const user = machine.run('ps -o user= -p "$(cat /run/almanakk-pictures.pid)"');
        assert.is(user, 'www-data\n');
        const modes = machine.run(
          'stat --format "%U %G %a" /etc/nginx/almanakk-pictures.d/machine.conf /etc/almanakk/.env',
        );
        assert.is(modes, 'root www-data 640\nroot almanakk 640\n');
      },
      'should keep the secret when it runs again': ({ machine }) => {
        const settings = machine.run('cat /etc/almanakk/.env');
        const output = machine.run('RESTARTS=listed almanakk-pictures');
        assert.is(machine.run('cat /etc/almanakk/.env'), settings);
        const services = ['almanakk@4000', 'almanakk@4001', 'almanakk@build'];
        assert.is(output, restartsOf('almanakk-pictures', ...services));
      },
    },
  },
  hide: {
    says: /^almanakk-hide 'https/m,
    // The page's event is not in the sample. `.ci/debian.sh` hides another one.
    instead: (text) => text.replaceAll(/$/gm, ' 2>&1 || true'),
    checks: {
      'should refuse to hide an event that the calendar does not have': ({ output }) =>
        assertIncludes(
          output,
          'expected the address or the id of a coming event in the calendar, found https://',
        ),
    },
  },
  editor: {
    says: /\/etc\/sudoers\.d\//m,
    instead: (text) => `mkdir -p /etc/sudoers.d\n${text}`,
  },
  backup: {
    says: /^systemctl enable --now almanakk-backup\.timer$/m,
    checks: {
      'should have settings, source, keys and the served snapshot in it, for root alone': ({
        machine,
        id,
      }) => {
        const names = machine.run(`tar --list --file ${ARCHIVES}`).trim().split('\n');
        for (const name of IN_BACKUP) assertIncludes(names, name);
        assert.equal(
          names.filter((name) => /calendar-|manifest/.test(name)).sort(),
          [`calendar-${id}.sqlite`, `calendar-${id}.sqlite.br`, 'manifest.json'].map(
            (name) => `var/lib/almanakk/snapshots/${name}`,
          ),
        );
        assert.is(machine.run(`stat --format %a ${ARCHIVES}`), '600\n');
      },
      'should keep the last fourteen, and those from before an upgrade from an installed version': ({
        machine,
      }) => {
        machine.run(`mkdir ${BEFORE_UPGRADE} && touch ${BEFORE_UPGRADE}/almanakk-1.9.0.tar.gz ${ASIDE}`);
        machine.run('for day in $(seq 10 24); do touch /var/backups/almanakk/2020-01-$day.tar.gz; done');
        machine.run('almanakk-backup');
        const names = machine.run('ls /var/backups/almanakk').trim().split('\n');
        assert.is(names.length, 14);
        assert.match(String(names[0]), /^2020-01-1[23]/);
        assert.is(machine.run(`ls -d ${BEFORE_UPGRADE}/*`), `${ASIDE}\n`);
      },
    },
  },
  firewall: {
    says: /^nft --check/m,
    // Its systemd has no unit of nftables.
    instead: (text) => text.replaceAll(/^(?:apt-get|systemctl) .*\n/gm, '').replace('--check ', ''),
    checks: {
      'should admit ssh and nginx, and refuse all else': ({ machine }) => {
        const rules = machine.run('nft list table inet almanakk');
        assert.match(rules, 'policy drop');
        const ports = [...rules.matchAll(/dport (.*) accept/g)].map(([, port]) => port);
        assert.equal(ports, ['546', '22', '{ 80, 443 }']);
      },
    },
  },
  recipient: {
    says: /> \/etc\/almanakk\/backup-recipients\.txt$/m,
    // The block before belongs to another computer. Its last line prints the recipient.
    instead: (text) =>
      text.replace("'YOUR-RECIPIENT'", `"$(${theBlock({ says: /^age-keygen -y/m }).text.trim()})"`),
  },
  encrypt: {
    says: /^almanakk-copy /m,
    instead: (text) => text.replace(/scp .*/, 'cp {} /root'),
    checks: {
      'should have made a copy that the identity decrypts, as the page of restoring says': ({ machine }) => {
        const [, decrypt = ''] = /`(age --decrypt [^`]+)`/.exec(readPage('docs/upgrading.md')) ?? [];
        const command = decrypt.replaceAll('\n', ' ');
        machine.run(command.replace('ARCHIVE.tar.gz ', '/tmp/copy ').replace(/ARCHIVE.*/, '/root/*.age'));
        machine.run(`cmp /tmp/copy "$(ls ${ARCHIVES} | tail -n 1)"`);
        assert.is(machine.run('head --bytes 21 /root/*.age'), 'age-encryption.org/v1');
        assert.is(machine.run('stat --format %a backup-identity.txt'), '600\n');
      },
      'should not decrypt a copy that was altered, or with another identity': ({ machine }) => {
        machine.run(`cp /root/*.age /tmp/altered
printf 'not the ciphertext' | dd of=/tmp/altered bs=1 seek=70000 conv=notrunc status=none
age-keygen --output /tmp/other.txt 2> /dev/null`);
        const decrypt = 'age --decrypt --output /dev/null --identity';
        assert.throws(() => machine.run(`${decrypt} backup-identity.txt /tmp/altered`), /failed to decrypt/);
        assert.throws(() => machine.run(`${decrypt} /tmp/other.txt /root/*.age`), /no identity matched/);
        machine.run(`${decrypt} backup-identity.txt /root/*.age`);
      },
      'should leave no copy on the machine, and note only a copy that succeeds': ({ machine }) => {
        machine.run('rm /var/backups/almanakk.copied');
        assert.throws(() => machine.run('almanakk-copy false {}'));
        assert.throws(() => machine.run('almanakk-copy true'), /expected a command with \{\} for the path/);
        machine.run('test ! -e /var/backups/almanakk.copied && ! ls /var/tmp/*.age');
      },
    },
  },
  add: {
    says: /^almanakk-add-calendar /m,
    isRepeatable: true,
    checks: {
      'should serve the calendar at its own address, with its own snapshot and keys': ({ machine, id }) => {
        const page = machine.run(`curl --fail --silent ${ADDED}/developers`);
        assert.match(page, `${ADDED}/graphQL`);
        assert.is.not(idIn(machine.run(`curl --fail --silent ${ADDED}/readyz`)), id);
        machine.run('CALENDAR=4010 almanakk keys issue --app Lillevik');
        machine.run('test -e /var/lib/almanakk-lillevik/keys.json');
        assert.not.match(machine.run('almanakk keys list'), /Lillevik/);
        assert.is(machine.run(`curl --fail --silent ${HTTPS}/readyz`).includes(id), true);
      },
      'H19: MUST keep each calendar’s files from the processes of the others': ({ machine }) => {
        const users = machine.run(
          'ps -o user:32= -p "$(cat /run/almanakk@4000.pid),$(cat /run/almanakk@4010.pid)"',
        );
        assert.equal(users.trim().split('\n').sort(), ['almanakk', 'almanakk-lillevik']);
        const own = {
          almanakk: ['/etc/almanakk/.env', '/var/lib/almanakk/keys.json', '/srv/almanakk/licence.json'],
          'almanakk-lillevik': ['/var/lib/almanakk-lillevik/keys.json', '/srv/lillevik/licence.json'],
        };
        const reads = (user: string, path: string) =>
          machine.run(`runuser --user ${user} -- cat ${path} > /dev/null 2>&1 && echo yes || echo no`);
        for (const [owner, paths] of Object.entries(own)) {
          for (const path of paths)
            for (const user of Object.keys(own))
              assert.is(reads(user, path), user === owner ? 'yes\n' : 'no\n', `${user} ${path}`);
        }
        for (const user of Object.keys(own)) assert.is(reads(user, '/etc/almanakk/4010.conf'), 'no\n', user);
        // Of the machine's settings, the process has those that are not the first calendar's.
        const variables = machine.run("tr '\\0' '\\n' < /proc/$(cat /run/almanakk@4010.pid)/environ");
        assert.match(variables, /^ALMANAKK_METRICS_TOKEN=[0-9a-f]{48}$/m);
        const first = machine.run("sed -n 's/^ALMANAKK_ADMIN_TOKEN=//p' /etc/almanakk/.env").trim();
        assert.is(variables.includes(first), false);
      },
      'should leave requests for unknown names to the first calendar': ({ machine, id }) => {
        const unknown = '--insecure --resolve unknown.example:443:127.0.0.1 https://unknown.example/readyz';
        assert.is(idIn(machine.run(`curl --fail --silent ${unknown}`)), id);
      },
      'should keep its settings secret, and not take over what belongs to the first calendar': ({
        machine,
      }) => {
        assert.is(machine.run('stat --format "%U %G %a" /etc/almanakk/4010.conf'), 'root root 600\n');
        const lines = OF_ONE.map((name) => `ALMANAKK_${name}=/nowhere`).join('\n');
        machine.run(`cp -p /etc/almanakk/.env /tmp/env && echo '${lines}' >> /etc/almanakk/.env`);
        const list = 'almanakk keys list';
        assert.throws(
          () => machine.run(list),
          ({ message }: Error) => OF_ONE.every((name) => message.includes(`ALMANAKK_${name}: expected`)),
        );
        assert.match(machine.run(`CALENDAR=4010 ${list}`), /Lillevik/);
        machine.run('cat /tmp/env > /etc/almanakk/.env');
      },
      'should refuse a quoted value, in a last line without a newline, too': ({ machine }) => {
        machine.run(`printf 'RUN=serve\nAWS_REGION="oslo"' > /etc/almanakk/quoted.conf`);
        const list = () => machine.run('CALENDAR=quoted almanakk keys list');
        assert.throws(list, /without quotation marks in .*quoted\.conf, found them in AWS_REGION\n/);
        machine.run('rm /etc/almanakk/quoted.conf');
      },
      'should send http to https, and the header that the operator has turned on': ({ machine }) => {
        assert.is(statusOf(machine, `${ADDED.replace('https', 'http')}/a?b=c`), `301 ${ADDED}/a?b=c`);
        assert.match(machine.run(`curl --silent --head ${ADDED}/developers`), /^strict-transport/im);
      },
      'should say what is left to do': ({ output }) =>
        assert.match(output, /left to do:\n- .*\/srv\/lillevik /),
      'should refuse what is taken or not valid, and change nothing': ({ machine }) => {
        const files = () =>
          machine.run('find /etc/almanakk /etc/nginx /srv /run -path "*enabled" -o -type f | sort');
        machine.run(`echo 'RUN=serve --port 4030' > /etc/almanakk/own.conf
node --eval "require('net').createServer().listen(4040, '127.0.0.1')" > /dev/null 2>&1 & echo $! > /tmp/other.pid
timeout 20 sh -c 'until ss --listening --tcp --numeric | grep --quiet :4040; do sleep 0.1; done'`);
        const before = files();
        for (const [args, said] of REFUSED)
          assert.throws(
            () => machine.run(`almanakk-add-calendar ${args}`),
            (thrown: Error) => thrown.message.includes(`almanakk-add-calendar: ${said}`),
            args,
          );
        assert.is(files(), before);
        machine.run('cp -r /etc/letsencrypt/live/lillevik.example /etc/letsencrypt/live/storvik.example');
        const add = () => machine.run('almanakk-add-calendar storvik storvik.example 4020');
        for (const path of ['/opt/almanakk/current/data/sample', '/etc/systemd/system/almanakk@.service']) {
          machine.run(`mv ${path} ${path}.away`);
          assert.throws(add, /a step failed, see above\. All that this run had made is removed again/, path);
          machine.run(`mv ${path}.away ${path}`);
          assert.is(files(), before);
        }
        machine.run('test ! -e /srv/storvik && rm -r /etc/letsencrypt/live/storvik.example');
        machine.run('kill "$(cat /tmp/other.pid)" && rm /etc/almanakk/own.conf');
      },
    },
  },
  late: {
    says: /^almanakk-activate /m,
    // `.ci/debian.sh` runs it.
    instead: () => 'true',
  },
  restore: {
    says: /^almanakk-restore /m,
    instead: (text) => `${DAMAGE}\n${text}`,
    checks: {
      'should change nothing if the archive is damaged': ({ machine, id }) => {
        const files = () => machine.run('ls /var/lib/almanakk/snapshots/calendar-*');
        const before = files();
        const newest = '"$(ls /var/backups/almanakk/*.gz | tail -n 1)"';
        machine.run(`head --bytes 9000 ${newest} > /var/backups/almanakk/9.tar.gz`);
        assert.throws(
          () => machine.run(RESTORE),
          /unexpected end of file[\s\S]*9\.tar\.gz is damaged\. Nothing/,
        );
        machine.run('rm /var/backups/almanakk/9.tar.gz');
        assert.equal([idIn(machine.run(READY)), files()], [id, before]);
      },
      'H14: should serve the snapshot of the archive again': ({ machine, id }) => {
        assert.is(idIn(machine.run(READY)), id);
      },
      'should have the calendar of the archive again, and the previous files beside it': ({
        machine,
        output,
      }) => {
        const [, aside] = /^restored\. The previous files are in (\S+)\. /m.exec(output) ?? [];
        machine.run(`test -e ${aside}/srv/almanakk/events.ndjson
test ! -e /srv/almanakk/events.ndjson
diff --recursive /srv/almanakk /opt/almanakk/current/data/sample`);
      },
      'should have the keys of the archive again': ({ machine }) => {
        assert.match(machine.run('almanakk keys list'), /Avisen/);
      },
      'should restore the owners of files, and leave the folders of Debian as they were': ({
        machine,
        modes,
      }) => {
        assert.is(machine.run('stat --format "%U %G %a" /etc/almanakk/.env'), 'root almanakk 640\n');
        assert.is(machine.run('find /var/lib/almanakk ! -user almanakk'), '');
        assert.is(machine.run('find /var/lib/almanakk-lillevik ! -user almanakk-lillevik'), '');
        assert.is(machine.run(MODES), modes);
      },
    },
  },
  older: {
    says: /^almanakk restore ID --compare$/m,
    // Exit code 2 means that the snapshots differ.
    instead: (text) => `oldest=$(almanakk restore 2>&1 | grep -Eo '^ *[0-9a-f]{16}' | tail -n 1)
${text.trim().replace('ID', '$oldest')} || [ $? = 2 ]`,
  },
  corrections: {
    says: /\/almanakk-before-restore-\*/,
    // The sample has no corrections. Exit code 1 means that the files differ.
    instead: (text) => `${text.trim().replaceAll('corrections.json', 'licence.json')} || [ $? = 1 ]`,
  },
  trial: {
    says: /rebuild --trial/,
    instead: (text) =>
      text.replace('install almanakk-NEXT', `install /mnt/shared/almanakk-${NEXT}`).replace('NEXT', NEXT),
    checks: {
      'G13: should try the next version on a copy, while the one before serves': ({ machine, output }) => {
        assert.match(output, /^(published|unchanged)\b/m);
        assert.match(output, 'nothing sent');
        assert.is(versionOf(machine), VERSION);
        assert.is(versionOf(machine, `AT=almanakk-${NEXT}`), NEXT);
        assert.not.match(machine.run(CHANGELOG), NEXT);
      },
    },
  },
  compare: {
    says: /\/var\/tmp\/restored/,
    // Exit code 1 means that it has found some.
    instead: (text) => `touch /etc/nginx/conf.d/almanakk-own.conf\n${text.trim()} || [ $? = 1 ]`,
    checks: {
      'should show what has changed in nginx since the archive was made': ({ machine, output }) => {
        const ours = output.split('\n').filter((line) => line.includes('almanakk') || /^[+-]/.test(line));
        assert.equal(ours, CHANGED_SINCE);
        assert.match(machine.run('ls /var/tmp/restored/etc/systemd/system'), /^almanakk@\.service$/m);
        machine.run('test -e /var/tmp/restored/etc/nginx/conf.d/almanakk.conf');
      },
    },
  },
  setup: {
    says: /^almanakk-setup almanakk-NEXT$/m,
    instead: (text) => text.replace('NEXT', NEXT),
    checks: {
      'should copy the changed files of the setup, and keep those that the operator has edited': ({
        machine,
        output,
      }) => {
        const copied = output.split('\n').filter((line) => line.startsWith('copied'));
        assert.equal(copied, [
          'copied: /etc/systemd/system/almanakk@.service',
          'copied: /usr/local/sbin/almanakk-backup',
        ]);
        assert.match(output, 'edited, not copied: /etc/almanakk/.env');
        const changed = output.split('\n').filter((line) => /^[+-](?![+-])/.test(line));
        assert.equal(changed, [`+${NEXT_LINE}`]);
        assert.is(machine.run(`grep --count '^${NEXT_LINE}' /etc/almanakk/.env || true`), '0\n');
        assert.is(machine.run('stat --format "%U %G %a" /etc/almanakk/.env'), 'root almanakk 640\n');
        const newest = '/usr/local/sbin/almanakk-backup';
        assert.is(machine.run(`tail -n 1 ${newest}; stat --format %a ${newest}`), `${NEXT_LINE}\n755\n`);
      },
    },
  },
  upgrade: {
    says: /^almanakk-switch almanakk-NEXT$/m,
    instead: (text) => underLoad(text.replaceAll('NEXT', NEXT)),
    checks: {
      'should serve with the next version': ({ machine }) => assert.match(machine.run(CHANGELOG), NEXT),
      'should have put the newest archive aside': ({ machine }) =>
        machine.run(`cmp ${ASIDE} "$(ls ${ARCHIVES} | tail -n 1)"`),
      'should have built both calendars by the next version': ({ machine, output }) => {
        const [, file] = [...output.matchAll(/^(?:published|unchanged): (\S+),/gm)].map(([, name]) => name);
        const manifest = machine.run('cat /var/lib/almanakk-lillevik/snapshots/manifest.json');
        assert.match(manifest, `"file": "${file}"`);
        machine.run('test ! -e /var/lib/almanakk/trial');
      },
      'H4: should have dropped no request during the upgrade': ({ machine }) => assertNoneLost(machine),
    },
  },
  downgrade: {
    says: /^almanakk-switch almanakk-PREVIOUS$/m,
    instead: (text) => underLoad(text.replaceAll('PREVIOUS', VERSION)),
    checks: {
      'H4: should have dropped no request during the downgrade': ({ machine }) => assertNoneLost(machine),
      'should serve with the version before again': ({ machine }) => {
        assert.is(JSON.parse(machine.run(READY)).ready, true);
        assert.is(versionOf(machine), VERSION);
        assert.not.match(machine.run(CHANGELOG), NEXT);
      },
      'should have the files of the setup of the version before again': ({ machine }) =>
        assert.not.match(machine.run('cat /usr/local/sbin/almanakk-backup'), NEXT_LINE),
    },
  },
  edited: {
    says: /^find \. .* cmp/m,
    checks: {
      'should have changed only files with names of the operator': ({ output }) =>
        assert.equal(output.trim().split('\n').sort(), [
          './etc/almanakk/.env',
          './etc/nginx/conf.d/almanakk.conf',
        ]),
    },
  },
};

/** The name of the step that a block is. */
function stepOf({ file, text }: Block): string | undefined {
  if (file !== null) return undefined;
  return Object.keys(STEPS).find((name) => STEPS[name]?.says.test(text));
}

const MODES = 'stat --format %a / /etc /srv /usr/local/sbin /var /var/lib';
/** With a file that the archive lacks, and beside which a build would refuse `events.json`. */
const DAMAGE = `rm -r /srv/almanakk/events.json /etc/almanakk/.env /var/lib/almanakk/keys.json*
echo > /srv/almanakk/events.ndjson`;

/** Without the commit. */
const versionOf = (machine: Context['machine'], settings = '') =>
  machine.run(`${settings} almanakk --version`).split(/\s/)[0];

/** Arguments of almanakk-add-calendar, and its refusals, on a machine with the calendars of the pages. */
const REFUSED = [
  ['', 'expected NAME DOMAIN PORT'],
  ['storvik storvik.example', 'expected NAME DOMAIN PORT'],
  ['Storvik storvik.example 4020', 'expected a name of small letters'],
  ['../etc storvik.example 4020', 'expected a name of small letters'],
  ['workbooks storvik.example 4020', 'expected another name than workbooks'],
  [`${'a'.repeat(24)} storvik.example 4020`, 'expected a name of at most 23 characters'],
  ['lillevik storvik.example 4020', 'expected no /srv/lillevik, but it exists'],
  ['cache storvik.example 4020', 'expected no /etc/nginx/conf.d/almanakk-cache.conf, but it exists'],
  ['storvik https://storvik.example 4020', 'expected a domain name in small letters'],
  ['storvik storvik 4020', 'expected a domain name, found storvik'],
  ['storvik lillevik.example 4020', 'expected a domain name that is not in use, found lillevik.example in '],
  [`storvik ${DOMAIN} 4020`, `expected a domain name that is not in use, found ${DOMAIN} in `],
  ['storvik storvik.example 443', 'expected a port from 1024 to 65535, found 443'],
  ['storvik storvik.example 65536', 'expected a port from 1024 to 65535, found 65536'],
  ['storvik storvik.example 4020 80', 'expected a port from 1024 to 65535, found 80'],
  ['storvik storvik.example 4020 4020', 'expected two ports, found 4020 twice'],
  ['storvik storvik.example 4020 4030', 'another calendar has port 4030'],
  ['storvik storvik.example 4020 4010', 'expected no /etc/almanakk/4010.conf, but it exists'],
  ['storvik storvik.example 4010', 'expected no /etc/almanakk/4010.conf, but it exists'],
  ['storvik storvik.example 4030', 'another calendar has port 4030'],
  ['storvik storvik.example 4040', 'another program listens on port 4040'],
  [
    'storvik storvik.example 4020',
    'expected a certificate in /etc/letsencrypt/live/storvik.example, found none',
  ],
] as const;

/** Settings that an added calendar does not take from `.env`. */
const OF_ONE = [
  'ADMIN_PORT',
  ...(hasPart('jobs/annexes/hooks') ? ['HOOKS', 'HOOKS_FILE'] : []),
  ...(hasPart('jobs/annexes/pull') ? ['ORIGIN'] : []),
  ...(hasPart('jobs/annexes/store') ? ['PUBLISH', 'PUBLISH_PUBLIC'] : []),
];

/** The status of a GET, and the address to which it redirects. */
function statusOf(machine: Machine, address: string): string {
  const format = '%{http_code} %{redirect_url}';
  return machine.run(`curl --silent --output /dev/null --write-out '${format}' '${address}'`);
}

const IN_BACKUP = [
  'etc/almanakk/.env',
  'etc/nginx/nginx.conf',
  'etc/systemd/system/almanakk@.service',
  'srv/almanakk/events.json',
  'var/lib/almanakk/keys.json',
];
/** What has changed after the last backup. */
const CHANGED_SINCE = ['Only in /etc/nginx/conf.d: almanakk-own.conf'];
const HTTPS = `https://${DOMAIN}`;
const ADDED = 'https://lillevik.example';
const ARCHIVES = '/var/backups/almanakk/*.tar.gz';
const BEFORE_UPGRADE = '/var/backups/almanakk-before-upgrade';
const ASIDE = `${BEFORE_UPGRADE}/almanakk-${VERSION}.tar.gz`;
const READY = BLOCKS.find((block) => stepOf(block) === 'service')?.text.match(/^curl.*$/m)?.[0] ?? '';
const RESTORE = BLOCKS.find((block) => stepOf(block) === 'restore')?.text ?? '';
const CHANGELOG = `curl --fail --silent --retry 60 --retry-delay 1 --retry-connrefused ${HTTPS}/changelog`;

/** The pause of the load between two requests of each kind, in seconds. */
const REST = IS_LONG ? 0 : 0.5;

/** What the machine's systemctl prints of them with `RESTARTS=listed`. */
const restartsOf = (...services: readonly string[]) =>
  services.map((service) => `would restart: ${service}\n`).join('');

/** Asks by GET and POST, one request after the other, for as long as the lines run. */
function underLoad(text: string): string {
  const json = '--header \'Content-Type: application/json\' --data \'{"query":"{ events { totalCount } }"}\'';
  const code = "--silent --output /dev/null --write-out '%{http_code}\\n'";
  return `rm -f /tmp/codes
touch /tmp/asking
(while [ -e /tmp/asking ]; do curl ${code} ${HTTPS}/events.json --next ${code} ${json} ${HTTPS}/graphQL; sleep ${REST}; done > /tmp/codes 2>&1) &
asking=$!
${text}
rm /tmp/asking
wait $asking`;
}

function assertNoneLost(machine: Machine): void {
  const counts = machine.run('sort /tmp/codes | uniq --count').trim().split(/\s+/);
  assert.is(counts.length, 2, counts.join(' '));
  assert.is(counts[1], '200');
  assertAbove(Number(counts[0]), 10, `of ${counts.join(' ')}`);
}

/** Files that have been written, or whose mode has changed, since the mark was set. */
const CHANGED_FILES = 'find /etc /opt /srv /usr/local/sbin -type f -cnewer /tmp/mark';

for (const block of BLOCKS) {
  const { page, key, file, text } = block;
  const { instead, isRepeatable = false, checks = {} } = STEPS[stepOf(block) ?? ''] ?? {};
  const onMachine = text.replaceAll('kalender.example', DOMAIN);
  const lines = instead?.(onMachine) ?? onMachine;
  debian(`should run the block of ${page}: ${key}`, (context) => {
    if (file !== null) context.machine.save(file, text);
    else {
      const online = IS_LONG && text.includes('almanakk-install almanakk');
      context.output = context.machine.run(lines, { online });
    }
  });
  if (isRepeatable)
    debian(`H17: should change nothing if the block is run again: ${key}`, ({ machine }) => {
      machine.run(`touch /tmp/mark\n${lines}`);
      assert.is(machine.run(CHANGED_FILES), '');
    });
  for (const [title, check] of Object.entries(checks)) debian(title, check);
}

debian('should have checked steps that the pages have', () => {
  assert.equal(BLOCKS.flatMap((block) => stepOf(block) ?? []).sort(), Object.keys(STEPS).sort());
});

debian.run();

function versionIn(file: string): string {
  const { version }: { readonly version: string } = JSON.parse(readFileSync(file, 'utf8'));
  return version;
}

/** The id of the snapshot that `/readyz` names. */
function idIn(answer: string): string {
  const [json = ''] = /^\{.*/m.exec(answer) ?? [];
  const { snapshot }: { readonly snapshot: { readonly id: string } } = JSON.parse(json);
  return snapshot.id;
}

/** Makes the package of the checkout, and the next one. */
async function pack(folder: string): Promise<void> {
  const run = (command: string, ...args: readonly string[]) => {
    const { status, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
    assert.is(status, 0, stderr);
  };
  run('tar', '--extract', '--file', await packInto(folder));
  const meta = join(folder, 'package/package.json');
  writeFileSync(meta, readFileSync(meta, 'utf8').replace(`"version": "${VERSION}"`, `"version": "${NEXT}"`));
  appendFileSync(join(folder, 'package/CHANGELOG.md'), `\n## [${NEXT}] - 2026-11-22\n\n- Next.\n`);
  for (const path of CHANGED) appendFileSync(join(folder, 'package/docs/debian', path), `${NEXT_LINE}\n`);
  // Compressed in a fifth of the time.
  run('tar', '--use-compress-program', 'gzip -1', '--create', '--file', `almanakk-${NEXT}.tgz`, 'package');
}
