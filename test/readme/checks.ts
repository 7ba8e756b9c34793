/** Checks of blocks of code that several pages share. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import { assertExists } from '../helpers/assertions.ts';
import { clientOf } from '../helpers/client.ts';
import type { Ran } from '../helpers/program.ts';
import type { Block, Shape } from './blocks.ts';
import { ADDRESS, runShell } from './shell.ts';
import type { World } from './world.ts';

export type Check = (block: Block, world: World) => Promise<void> | void;

/** How blocks of a shape are checked. A block is checked by the first rule whose shape it has. */
export interface Rule {
  readonly shape: Shape;
  readonly check: Check;
  /** The program that the check runs. Where it is not installed, the block is skipped. */
  readonly needs?: string;
}

/** For blocks that another test runs: expects that the test exists. */
export function isHeldBy(file: string): Check {
  return () => assertExists(packagePath(file));
}

/** Files of the reader's own calendar, and its settings. */
const OF_OWN = /^(?:my-|\.env$)/;

/** Writes the block to the file that its paragraph names, in the reader's calendar or in the clone, with the address of the server. */
export const saves: Check = async ({ text, file, key }, world) => {
  if (file === null) throw new Error(`${key}: expected a paragraph "\`path\`:" before it, found none`);
  const isOwn = OF_OWN.test(file);
  const path = join(isOwn ? world.own() : world.clone(), file);
  const isAsking = text.includes(ADDRESS);
  const { url = ADDRESS } = isAsking ? await (isOwn ? world.ownToday() : world.server()) : {};
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text.replaceAll(ADDRESS, url));
  if (isOwn) world.found.set('calendar', 'own');
};

/** Runs the commands in the clone while its server runs. They must succeed, and `check` may expect an output. */
export function runs(check: (done: Ran, world: World) => unknown = () => undefined): Check {
  return async ({ text }, world) => {
    const { url: address } = await world.server();
    const done = await runShell(text, { folder: world.clone(), address });
    assert.is(done.code, 0, `${text}\n${done.stdout}${done.stderr}`);
    world.found.set('output', done.stdout);
    await check(done, world);
  };
}

/**
 * Runs the commands in the clone with the reader's calendar, with its `.env` once a page has written it. They serve nothing, and the port is
 * that of the pages' address: without a `siteUrl`, links to events begin with it.
 */
export const builds: Check = async ({ text }, { own, found }) => {
  const { port } = new URL(ADDRESS);
  const { code, stdout, stderr } = await runShell(text, { folder: own(), port });
  assert.is(code, 0, stdout + stderr);
  found.set('output', stdout);
};

/** For commands that take minutes or write to the sources: expects that their scripts exist, and does not run them. */
export const namesScripts: Check = ({ text }) => {
  const { scripts } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  const lines = text.trimEnd().split('\n');
  const named = lines.map(scriptIn).filter((script) => script !== undefined);
  assert.ok(named.length > 0, `expected the name of a script, found none in:\n${text}`);
  for (const script of named) assert.type(scripts[script], 'string', script);
};

/** The name of the script in `npm run NAME`, `npm test` and `npm start`; `npm pack`, `npm install` and `npm update` are commands of npm. */
export function scriptIn(command: string): string | undefined {
  return /^npm (?:run )?(?!pack\b|install\b|update\b)([a-z:]+)/.exec(command)?.[1];
}

/** Asks the page's calendar at noon. The answer must have no errors; `isAnswer` compares it. */
export const asks: Check = async ({ text }, world) => {
  const isOwn = world.found.get('calendar') === 'own';
  const { url } = await (isOwn ? world.ownAtNoon() : world.sampleAtNoon());
  const answer = JSON.parse((await clientOf(url).post(text)).text);
  assert.is(answer.errors, undefined, `${text}\n${JSON.stringify(answer.errors)}`);
  world.found.set('answer', answer);
};

/** Compares the block with the answer to the question before. */
export const isAnswer: Check = ({ text }, { found }) => {
  assert.equal(found.get('answer'), JSON.parse(text));
};

/**
 * Compares whole lines with the output of the command before, except for the indentation of the first one. `…` stands for any lines, or for any
 * part of a line.
 */
export const isOutput: Check = ({ text }, { found }) => {
  const lines = text.trim().split('\n').map(patternOfLine);
  assert.match(`${found.get('output')}`, new RegExp(`^ *${lines.join('\n')}$`, 'm'));
};

function patternOfLine(line: string): string {
  if (line === '…') return '[^]*?';
  const parts = line.split('…');
  return parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*?');
}

/** A drawing of the tree: each path in it must exist, except for the snapshots, which a build makes. */
export const namesPaths: Check = ({ text }) => {
  const names = Array.from(text.matchAll(/\b(?:data|jobs|src|docs|test)\/[\w./-]*/g), ([name]) => name);
  assert.ok(names.length > 0, `expected paths, found none in:\n${text}`);
  for (const name of names) {
    if (name.startsWith('data/snapshots')) continue;
    const isThere = ['', '.ts'].some((end) => existsSync(packagePath(`${name}${end}`)));
    assert.is(isThere, true, `expected ${name} in the tree, found nothing`);
  }
};
