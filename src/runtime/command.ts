/** Finds the annex whose command it is, and runs it with the settings. */
import type { BuildAnnex } from '../../jobs/annex.ts';
import * as annexes from '../../jobs/annexes.ts';
import { CalendarError } from '../calendar/errors.ts';
import { printable } from '../calendar/text.ts';
import { readSettings, type Settings } from '../settings.ts';

const ANNEXES: readonly BuildAnnex<Settings>[] = Object.values(annexes);

/** Resolves to the exit code. Throws INVALID_SETTING. */
export async function runCommand([name = '', ...args]: readonly string[]): Promise<number> {
  const commands = ANNEXES.filter(({ command }) => command !== undefined);
  const program = await commands.find((annex) => annex.name === name)?.command?.();
  if (program === undefined) {
    const known = commands.map((annex) => annex.name).join(', ');
    throw new CalendarError('INVALID_SETTING', `expected one of ${known}, found ${JSON.stringify(name)}`);
  }
  const { settings, warnings } = readSettings(process.env, process.cwd());
  for (const warning of warnings) process.stderr.write(printable(`warning: ${warning}\n`));
  return program.run(args, {
    settings,
    now: new Date(),
    print: (line) => process.stdout.write(printable(`${line}\n`)),
    keepCurrent: async () => {
      const { runBuilder } = await import('./builder.ts');
      await runBuilder({ settings, warnings: [] });
    },
  });
}
