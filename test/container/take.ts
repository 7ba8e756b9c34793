/**
 * Takes the steps of a Containerfile in plain folders, one a stage, as far as that goes without a container engine: paths
 * that begin at the root of the image begin at the stage's folder, and a base image is the machine that this runs on.
 */
import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { type Copy, parseCommand, parseCopy, parsePairs, type Stage } from './parse.ts';
import { runStep } from './run-step.ts';

export interface TakeOptions {
  /** The folder that the image is built from. */
  readonly context: string;
  /** Where the stages are to be. */
  readonly folder: string;
}

/** A stage with its steps taken. Paths are those of the image. */
export interface Image {
  /** Where the image's root is on this machine. */
  readonly root: string;
  workdir: string;
  user: string;
  env: Readonly<Record<string, string>>;
  volumes: readonly string[];
  ports: readonly string[];
  command: readonly string[];
  healthcheck: readonly string[];
}

/** Gives the last stage. Throws for what it does not know, so that nothing is passed over. */
export function takeSteps(stages: readonly Stage[], { context, folder }: TakeOptions): Image {
  const isSeen = contextFilter(readFileSync(join(context, '.dockerignore'), 'utf8'));
  const roots = new Map<string, string>();
  let last: Image | undefined;
  for (const [at, { name, instructions }] of stages.entries()) {
    const root = join(folder, name ?? `stage-${at}`);
    mkdirSync(root, { recursive: true });
    const image = emptyImage(root);
    for (const { word, rest } of instructions) {
      const step = STEPS[word];
      if (step === undefined)
        throw new Error(`expected ${Object.keys(STEPS).join(', ')}, found ${word} ${rest}`);
      step(rest, image, { context, isSeen, roots });
    }
    if (name !== null) roots.set(name, root);
    last = image;
  }
  if (last === undefined) throw new Error('expected a stage, found none');
  return last;
}

interface Surroundings {
  readonly context: string;
  readonly isSeen: (path: string) => boolean;
  /** Of the stages before, by name. */
  readonly roots: ReadonlyMap<string, string>;
}

const STEPS: Readonly<Record<string, (rest: string, image: Image, around: Surroundings) => void>> = {
  WORKDIR: (rest, image) => {
    image.workdir = posix.resolve(image.workdir, rest);
    mkdirSync(join(image.root, image.workdir), { recursive: true });
  },
  COPY: (rest, image, around) => copy(parseCopy(rest), image, around),
  RUN: (rest, { root, workdir }) => runStep(rest, join(root, workdir)),
  ENV: (rest, image) => {
    image.env = { ...image.env, ...parsePairs(rest) };
  },
  USER: (rest, image) => {
    image.user = rest;
  },
  VOLUME: (rest, image) => {
    image.volumes = [...image.volumes, rest];
  },
  EXPOSE: (rest, image) => {
    image.ports = [...image.ports, rest];
  },
  CMD: (rest, image) => {
    image.command = parseCommand(rest);
  },
  HEALTHCHECK: (rest, image) => {
    image.healthcheck = parseCommand(rest.replace(/^(--\S+\s+)*CMD\s+/, ''));
  },
};

function emptyImage(root: string): Image {
  return { root, workdir: '/', user: 'root', env: {}, volumes: [], ports: [], command: [], healthcheck: [] };
}

function copy({ from, owner, sources, target }: Copy, { root, workdir }: Image, around: Surroundings): void {
  const base = from === null ? around.context : around.roots.get(from);
  if (base === undefined) throw new Error(`expected a stage before this one, found --from=${from}`);
  const to = join(root, posix.resolve(workdir, target));
  const isIntoFolder = target.endsWith('/') || sources.length > 1;
  for (const source of sources.flatMap((written) => matchesOf(base, written))) {
    if (from === null && !around.isSeen(source)) throw new Error(`.dockerignore hides ${source}`);
    const path = join(base, source);
    const isFolder = statSync(path).isDirectory();
    const place = isFolder || !isIntoFolder ? to : join(to, basename(source));
    mkdirSync(isFolder ? place : dirname(place), { recursive: true });
    // Links that stand for packages of the checkout end here: what is in the image is all that it has.
    execFileSync('cp', ['--recursive', '--dereference', isFolder ? `${path}/.` : path, place]);
    if (owner !== null && process.getuid?.() === 0) {
      const [user = 0, group = 0] = owner.split(':').map(Number);
      chownSync(place, user, group);
    }
  }
}

/** The files that a pattern such as `almanakk-*.tgz` means; anything else as it is. */
function matchesOf(folder: string, source: string): readonly string[] {
  if (!source.includes('*')) return [source];
  const [head = '', tail = ''] = source.split('*');
  const found = readdirSync(folder).filter((name) => name.startsWith(head) && name.endsWith(tail));
  if (found.length === 0) throw new Error(`expected ${source} in the context, found none`);
  return found;
}

/** `.dockerignore`: nothing but what lines with an exclamation mark let in. */
function contextFilter(text: string): (path: string) => boolean {
  const [first, ...lines] = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  if (first !== '*' || !lines.every((line) => line.startsWith('!'))) {
    throw new Error('expected .dockerignore to be "*" and then lines that begin with "!"');
  }
  const seen = lines.map((line) => {
    const path = line.slice(1).replace(/\/$/, '').replaceAll('.', '\\.').replaceAll('*', '[^/]*');
    return new RegExp(`^${path}(/|$)`);
  });
  return (path) => seen.some((open) => open.test(path));
}
