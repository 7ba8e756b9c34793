/** I17: almanakk-pictures, which gives nginx the secret of the addresses of pictures. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertMissing } from '../helpers/assertions.ts';
import { runScript, save, saveProgram } from '../helpers/debian-root.ts';
import { isExpected, when } from '../helpers/when.ts';
import { createMachine, scriptAt } from './active-machine.ts';

const pictures = when(isExpected('openssl'), 'openssl is not installed here', suite('almanakk-pictures'));

const moduleOf = (root: string, name: string) =>
  join(root, `usr/lib/nginx/modules/ngx_http_${name}_module.so`);

type PictureServer = ReturnType<typeof createPictureServer>;

/** A machine with both modules of nginx, and the script. Its picture server answers as it should. */
function createPictureServer() {
  const root = createMachine();
  for (const name of ['image_filter', 'js']) save(moduleOf(root, name), '');
  save(join(root, 'etc/nginx/snippets/almanakk-site.conf'), 'http://unix:/run/almanakk-pictures/http.sock');
  mkdirSync(join(root, 'etc/nginx/conf.d'));
  save(join(root, 'etc/resolv.conf'), 'nameserver 10.0.0.1\n');
  save(join(root, 'etc/almanakk/pictures'), 'of-a-file_0123456789\n');
  for (const name of ['systemctl', 'chgrp', 'almanakk-restart']) saveProgram(root, name, 'true');
  const answer = (status: number) => saveProgram(root, 'curl', `echo ${status}`);
  answer(403);
  const text = scriptAt(root, 'almanakk-pictures').replace('/usr/lib/nginx', `${root}/usr/lib/nginx`);
  const folder = join(root, 'etc/nginx/almanakk-pictures.d');
  return {
    root,
    /** The settings of the machine. */
    settings: join(root, 'etc/almanakk/.env'),
    /** The configuration that the script writes. */
    folder,
    configuration: () => readFileSync(join(folder, 'machine.conf'), 'utf8'),
    /** Makes the picture server answer a request without a signature with this status: 403 is right. */
    answer,
    run: (...args: readonly string[]) => runScript(text, { root, args }),
  };
}

pictures('I17: should name the package of a module that nginx lacks', async () => {
  const { root, run } = createPictureServer();
  rmSync(moduleOf(root, 'js'));
  assert.match((await run()).stderr, 'found none: apt-get install libnginx-mod-http-js\n');
});

interface Secret {
  readonly what: string;
  /** The settings, on a machine whose root is this folder. */
  readonly settings: (root: string) => string;
}

/** Settings, and what nginx then has as the secret. */
const ACCEPTED: readonly (Secret & { readonly secret: string })[] = [
  {
    what: 'a secret in the settings',
    settings: () => 'ALMANAKK_PICTURE_SECRET=0123456789abcdef',
    secret: '0123456789abcdef',
  },
  {
    what: 'a secret in a file, by its whole path',
    settings: (root) => `ALMANAKK_PICTURE_SECRET_FILE="${root}/etc/almanakk/pictures"`,
    secret: 'of-a-file_0123456789',
  },
  {
    what: 'a secret in a file beside the settings',
    settings: () => 'ALMANAKK_PICTURE_SECRET_FILE=pictures',
    secret: 'of-a-file_0123456789',
  },
];

/** Settings, and what the script says when it refuses them. */
const REFUSED: readonly (Secret & { readonly message: RegExp })[] = [
  {
    what: 'a secret in a file that is missing',
    settings: () => 'ALMANAKK_PICTURE_SECRET_FILE=none',
    message: /expected the file \S+\/none, which .* names, found none/,
  },
  {
    what: 'two secrets',
    settings: () => 'ALMANAKK_PICTURE_SECRET=0123456789abcdef\nALMANAKK_PICTURE_SECRET_FILE=pictures',
    message: /expected either ALMANAKK_PICTURE_SECRET or ALMANAKK_PICTURE_SECRET_FILE, found both/,
  },
  {
    what: 'a secret that would end a string of nginx',
    settings: () => 'ALMANAKK_PICTURE_SECRET=0123456789";abcdef',
    message: /expected 16 or more letters, digits/,
  },
];

/** Runs the script with these settings, and expects that it leaves them as they are. */
async function runWith({ settings, run }: PictureServer, text: string) {
  const written = `${text}\n`;
  save(settings, written);
  const done = await run();
  assert.is(readFileSync(settings, 'utf8'), written);
  return done;
}

for (const { what, settings, secret } of ACCEPTED) {
  pictures(`I17: should give nginx ${what}`, async () => {
    const server = createPictureServer();
    const { code, stderr } = await runWith(server, settings(server.root));
    assert.is(code, 0, stderr);
    assert.match(server.configuration(), `default "${secret}";`);
  });
}

for (const { what, settings, message } of REFUSED) {
  pictures(`I17: should not give nginx ${what}`, async () => {
    const server = createPictureServer();
    const { code, stderr } = await runWith(server, settings(server.root));
    assert.is(code, 1);
    assert.match(stderr, message);
    assertMissing(server.folder);
  });
}

pictures(
  'I17: should restart the servers if the secret has changed, or if a run before has failed',
  async () => {
    const { root, settings, folder, configuration, answer, run } = createPictureServer();
    const log = join(root, 'log');
    saveProgram(root, 'almanakk-restart', `echo restart >> ${log}`);
    const runIfChanged = async (secret: string) => {
      save(settings, `ALMANAKK_PICTURE_SECRET=${secret}-0123456789\n`);
      save(log, '');
      const { code } = await run('--if-changed');
      return { hasRestarted: readFileSync(log, 'utf8') !== '', hasFailed: code !== 0 };
    };
    const UNCHANGED = { hasRestarted: false, hasFailed: false };
    const CHANGED = { hasRestarted: true, hasFailed: false };
    const FAILED = { hasRestarted: false, hasFailed: true };
    assert.equal(await runIfChanged('first'), UNCHANGED, 'a machine without a picture server');
    assertMissing(folder);
    await run();
    assert.equal(await runIfChanged('first'), UNCHANGED);
    assert.equal(await runIfChanged('second'), CHANGED);
    assert.match(configuration(), 'default "second-0123456789";');
    answer(502);
    assert.equal(await runIfChanged('third'), FAILED);
    assert.equal(await runIfChanged('third'), FAILED, 'the second time');
    answer(403);
    assert.equal(await runIfChanged('third'), CHANGED, 'after runs that failed');
  },
);

pictures.run();
