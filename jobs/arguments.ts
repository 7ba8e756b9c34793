/** The arguments of a command. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { CalendarError, messageOf } from '../src/calendar/errors.ts';

/** Node's own parser. Throws INVALID_SETTING, with the usage after the message, for an unknown option or a missing value. */
export function parseArguments<const Config extends ParseArgsConfig>(config: Config, usage: string) {
  try {
    return parseArgs(config);
  } catch (cause) {
    throw new CalendarError('INVALID_SETTING', `${messageOf(cause)}\n${usage}`, { cause });
  }
}
