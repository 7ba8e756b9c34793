/** A Containerfile, as far as ours goes. */

export interface Stage {
  readonly image: string;
  readonly name: string | null;
  readonly instructions: readonly Instruction[];
}

export interface Instruction {
  readonly word: string;
  readonly rest: string;
}

export function parseContainerfile(text: string): readonly Stage[] {
  const stages: { image: string; name: string | null; instructions: Instruction[] }[] = [];
  for (const line of linesOf(text)) {
    const [, word = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    const stage = stages.at(-1);
    if (word === 'FROM') {
      const [image = '', , name = null] = rest.split(/\s+/);
      stages.push({ image, name, instructions: [] });
    } else if (stage !== undefined) stage.instructions.push({ word, rest });
    else throw new Error(`expected FROM first, found ${line}`);
  }
  return stages;
}

export interface Copy {
  readonly from: string | null;
  readonly owner: string | null;
  readonly sources: readonly string[];
  readonly target: string;
}

export function parseCopy(rest: string): Copy {
  const words = rest.split(/\s+/);
  const flag = (name: string) => words.find((word) => word.startsWith(`--${name}=`))?.split('=')[1] ?? null;
  const paths = words.filter((word) => !word.startsWith('--'));
  return {
    from: flag('from'),
    owner: flag('chown'),
    sources: paths.slice(0, -1),
    target: paths.at(-1) ?? '',
  };
}

export function parsePairs(rest: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    rest.split(/\s+/).map((pair) => {
      const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(pair) ?? [];
      if (name === '') throw new Error(`expected NAME=value, found ${pair}`);
      return [name, value];
    }),
  );
}

/** A list, not a shell's line: signals are to reach the program itself. */
export function parseCommand(rest: string): readonly string[] {
  const words: unknown = rest.startsWith('[') ? JSON.parse(rest) : null;
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) {
    throw new Error(`expected a command as a list of strings, found ${rest}`);
  }
  return words;
}

/** Comments gone, lines that end in a backslash joined. */
function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .join('\n')
    .replaceAll('\\\n', '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
