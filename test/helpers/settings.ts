/** Settings as a program reads them. `here`: the folder that relative paths are in. */
import { readSettings, type Settings } from '../../jobs/settings.ts';
import { isCalendarError } from '../../src/calendar/errors.ts';
import type { Environment } from '../../src/settings/read.ts';

export const readFrom =
  (here: string) =>
  (environment: Environment, folder = here): Settings =>
    readSettings(environment, folder).settings;

/** The message that refuses the settings; `accepted` if they are good. */
export const refusalFrom =
  (here: string) =>
  (environment: Environment, folder = here): string => {
    try {
      readSettings(environment, folder);
    } catch (thrown) {
      if (isCalendarError(thrown) && thrown.code === 'INVALID_SETTING') return thrown.message;
      throw thrown;
    }
    return 'accepted';
  };
