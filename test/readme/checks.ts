/** Kinds of checks that several blocks share. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import { clientOf } from '../helpers/client.ts';
import type { Ran } from '../helpers/program.ts';
import type { Running } from '../helpers/running.ts';
import type { Block } from './document.ts';
import { runShell } from './shell.ts';
import type { World } from './world.ts';

export interface Rule {
  (block: Block, world: World): Promise<void> | void;
  /** The program without which it cannot be tried. */
  readonly needs?: string;
}

/** By the key of a block, or for several by heading and language, by heading, or by language: the first that there is counts. */
export type Rules = Readonly<Record<string, Rule>>;

export function ruleKeyOf({ key, heading, language }: Block, rules: Rules): string | undefined {
  return [key, `${heading} › ${language}`, heading, language].find((name) => name in rules);
}

/** What a test of its own does with it. */
export function isHeldBy(file: string): Rule {
  return () => assert.ok(existsSync(packagePath(file)), file);
}

/** A rule that is skipped where that program is not installed. */
export function needs(program: string, rule: Rule): Rule {
  return Object.assign((block: Block, world: World) => rule(block, world), { needs: program });
}

/** Writes a file where the paragraph before it says. */
export function saves(folder: (world: World) => string): Rule {
  return ({ text, file, key }, world) => {
    if (file === null) throw new Error(`${key}: expected a paragraph "\`path\`:" before it, found none`);
    const path = join(folder(world), file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
}

/** Runs the lines in the clone whose server is up; they must succeed. */
export function runs(check: (done: Ran, world: World) => unknown = () => undefined): Rule {
  return async ({ text }, world) => {
    const { url: address } = await world.server();
    const done = await runShell(text, { folder: world.clone(), address });
    assert.is(done.code, 0, `${text}\n${done.stdout}${done.stderr}`);
    world.found.set('output', done.stdout);
    await check(done, world);
  };
}

/** Commands that are not run here, because they take minutes or write to the sources: they must be scripts of this package all the same. */
export const namesScripts: Rule = ({ text }) => {
  const { scripts } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  for (const line of text.trimEnd().split('\n')) assert.type(scripts[scriptIn(line) ?? ''], 'string', line);
};

/** The name of the script in `npm run NAME`, `npm test` and `npm start`; `npm pack` is a command of npm. */
export function scriptIn(command: string): string | undefined {
  return /^npm (?:run )?(?!pack\b)([a-z]+)/.exec(command)?.[1];
}

/** Asks a server; `isAnswer` has the answer. */
export function asks(server: (world: World) => Promise<Running>): Rule {
  return async ({ text }, world) => {
    const { url } = await server(world);
    world.found.set('answer', JSON.parse((await clientOf(url).post(text)).text));
  };
}

/** The whole answer to the question before. */
export const isAnswer: Rule = ({ text }, { found }) => {
  assert.equal(found.get('answer'), JSON.parse(text));
};

/** What the command before has printed; `…` stands for anything. */
export const isOutput: Rule = ({ text }, { found }) => {
  const parts = text.trim().split('…');
  const pattern = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^]*?');
  assert.match(`${found.get('output')}`, new RegExp(pattern));
};
