/** The parts of Containerfile that tests compare with other files. */
import { readFileSync } from 'node:fs';
import { packagePath } from '../../src/package.ts';

/** Comments gone, lines that end in a backslash joined. */
const LINES = readFileSync(packagePath('Containerfile'), 'utf8')
  .replace(/^#.*\n/gm, '')
  .replaceAll('\\\n', '')
  .split('\n');

/** The arguments of each instruction of this name: `FROM`, `EXPOSE`, `RUN`. */
export function instructionsOf(word: string): readonly string[] {
  return LINES.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length).trim());
}

/** The variables that the image sets. */
export function imageVariables(): Readonly<Record<string, string>> {
  const pairs = instructionsOf('ENV')
    .join(' ')
    .matchAll(/(\w+)=(\S*)/g);
  return Object.fromEntries([...pairs].map(([, name = '', value = '']) => [name, value]));
}
