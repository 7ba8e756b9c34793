/** almanakk-sync: what nginx reads on a replica: pictures that the builder has removed, and directives of its own. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resizedWith } from '../../src/annexes/resized/resized.ts';
import { debianFile } from '../helpers/debian-files.ts';
import { runScript, save, saveProgram } from '../helpers/debian-root.ts';
import { type Machines, machines, stateOf } from './sync-machines.ts';

const PICTURES = 'etc/nginx/almanakk-pictures.d';
const SECRET = 'of-both-machines';

/** An address of a picture, and that of its copy with 640 pixels. */
const ORIGINAL = 'bilder.example/konsert.jpg';
const RESIZED = resizedWith(SECRET)(`https://${ORIGINAL}`, 640, '') ?? '';

type RemovePicture = (...args: readonly string[]) => Promise<string>;

interface PictureContext {
  pair: Machines;
  remove: RemovePicture;
  removeHere: RemovePicture;
}

/** Each test goes on from the pictures that the one before it has left. */
const pictures = suite<PictureContext>('almanakk-sync: removed pictures');

pictures.before((context) => {
  context.pair = machines();
  const { builder } = context.pair;
  context.remove = savePictures(builder);
  save(join(builder, 'etc/almanakk/replicas'), '10.0.0.12\n');
});

/** Gives a machine a picture server, and almanakk-remove-picture. */
function savePictures(machine: string): RemovePicture {
  save(join(machine, `${PICTURES}/machine.conf`), `map "" $picture_secret { default "${SECRET}"; }\n`);
  const script = debianFile('usr/local/sbin/almanakk-remove-picture');
  saveProgram(
    machine,
    'almanakk-remove-picture',
    script.replaceAll(/(?<![\w.])\/(?=etc\/|var\/)/g, `${machine}/`),
  );
  return async (...args) => {
    const { code, stdout, stderr } = await runScript('almanakk-remove-picture "$@"', { root: machine, args });
    assert.is(code, 0, stderr);
    return stdout;
  };
}

/** The pictures that a machine's picture server refuses. */
function removedOn(machine: string): readonly string[] {
  const folder = join(machine, PICTURES, 'removed');
  const marks = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8').trim());
  return [...new Set(marks)].sort();
}

pictures('H18: should be named with the replicas that will delete their copies', async ({ remove }) => {
  const told = await remove(`https://kalender.example${RESIZED}`);
  assert.match(told, `remove: ${ORIGINAL}\nreplicas: 10.0.0.12 delete their copies within five minutes`);
});

pictures('H18: should change nothing on a replica without a picture server', async ({ pair }) => {
  const { root, sync } = pair;
  assert.is((await sync()).code, 0);
  assert.not.ok(existsSync(join(root, PICTURES)));
});

pictures('H18: should lose their copies, beside those that the replica removes itself', async (context) => {
  const { root, sync } = context.pair;
  context.removeHere = savePictures(root);
  assert.match(
    await context.removeHere('https://bilder.example/own.jpg'),
    'only on this machine, which is a replica',
  );
  const copy = copyOf(RESIZED);
  save(join(root, copy), 'a copy');
  assert.is((await sync()).stdout, `remove: ${ORIGINAL}\n`);
  assert.not.ok(existsSync(join(root, copy)));
  assert.equal(removedOn(root), [ORIGINAL, 'bilder.example/own.jpg']);
  assert.is((await sync()).stdout, '', 'the second time');
});

/** Where nginx has the copy of a picture. */
function copyOf(path: string): string {
  const key = createHash('md5').update(path).digest('hex');
  return `var/cache/almanakk-pictures/copies/${key.slice(-1)}/${key.slice(-3, -1)}/${key}`;
}

/** To show a removed picture by mistake is worse than to hide one for too long. */
pictures(
  'H18: should come back on a replica only by a command there',
  async ({ pair, remove, removeHere }) => {
    const { root, sync } = pair;
    const undone = await remove('--undo', ORIGINAL);
    assert.match(
      undone,
      `undo: ${ORIGINAL}\nreplicas: 10.0.0.12 still refuse it. Run the same command there`,
    );
    assert.is((await sync()).stdout, '');
    await removeHere('--undo', ORIGINAL);
    assert.is((await sync()).stdout, '');
    assert.equal(removedOn(root), ['bilder.example/own.jpg']);
  },
);

pictures.run();

const DIRECTIVES = 'etc/nginx/almanakk.d';

/** Each test goes on from the files that the one before it has left. */
const directives = suite<{ pair: Machines }>('almanakk-sync: files in almanakk.d');

directives.before(async (context) => {
  context.pair = machines();
  const { root, builder, sync, ordered } = context.pair;
  await sync();
  ordered();
  for (const name of ['callers', 'deny'])
    save(join(builder, `${DIRECTIVES}/${name}.conf`), `${name} of the builder`);
  save(join(root, `${DIRECTIVES}/deny.conf`), 'deny of the replica');
  save(join(root, `${DIRECTIVES}/own.conf`), 'own');
});

directives('H18: should stay as they were if nginx refuses the new ones', async ({ pair }) => {
  const { root, sync, ordered } = pair;
  save(join(root, 'nginx-fails'), '');
  const before = stateOf(root);
  const refused = await sync();
  assert.is(refused.code, 1);
  assert.match(refused.stderr, /nginx refused the new .*almanakk\.d, see above/);
  assert.equal(stateOf(root), before);
  rmSync(join(root, 'nginx-fails'));
  ordered();
});

directives(
  'H18: should be those of the builder and the replica’s own, also after a kill',
  async ({ pair }) => {
    const { root, read, sync, ordered } = pair;
    saveProgram(root, 'systemctl', 'kill -KILL "$PPID"');
    assert.is.not((await sync()).code, 0);
    saveProgram(root, 'systemctl', `echo "systemctl $*" >> ${root}/log`);
    assert.is((await sync()).code, 0);
    assert.match(ordered(), /^nginx -t\nnginx -t\nsystemctl reload nginx\n$/);
    assert.equal(
      ['callers', 'deny', 'own'].map((name) => read(`${DIRECTIVES}/${name}.conf`)),
      ['callers of the builder', 'deny of the builder', 'own'],
    );
  },
);

directives('H18: should not reload nginx if they are the same', async ({ pair }) => {
  const { sync, ordered } = pair;
  assert.is((await sync()).code, 0);
  assert.is(ordered(), '');
});

directives(
  'H18: should be removed with those of the builder, and the replica’s own stay',
  async ({ pair }) => {
    const { root, builder, sync, ordered } = pair;
    for (const name of ['callers', 'deny']) rmSync(join(builder, `${DIRECTIVES}/${name}.conf`));
    assert.is((await sync()).code, 0);
    assert.is(ordered(), 'nginx -t\nsystemctl reload nginx\n');
    assert.equal(readdirSync(join(root, DIRECTIVES)).sort(), ['.copied', 'own.conf']);
  },
);

directives.run();
