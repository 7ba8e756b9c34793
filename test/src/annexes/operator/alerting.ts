/** Processes that send alerts, with mails, a log and a clock that tests read and move. */
import { join } from 'node:path';
import type { Failure, Mail } from '../../../../src/annexes/common/mail.ts';
import { createCheck, stateFile } from '../../../../src/annexes/operator/alerts.ts';
import type { Concern } from '../../../../src/annexes/operator/concerns/concern.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';

export const MINUTE = 60_000;
export const START = Date.parse('2026-11-22T09:00:00Z');
const FROM = { name: 'Kalenderen', address: 'kalender@by.example' };
export const TO = [{ name: '', address: 'drift@by.example' }];
export const DOWN: Failure = { reason: 'connect ECONNREFUSED', isOfServer: true };

type Look = () => Promise<void>;

/** Processes of a machine that look for concerns each minute, the mails that they send, and the lines that they log. */
export function createFixture() {
  const keys = join(temporaryFolder(), 'keys.json');
  const mails: Mail[] = [];
  const logged: string[] = [];
  const here = { keys, mails, logged, now: START, isDown: false, concerns: [] as readonly Concern[] };
  const note = ({ tries }: { readonly tries?: number }, event: string) =>
    logged.push(`${event} tries=${tries}`);
  const mailer = {
    send: async (mail: Mail) => {
      if (here.isDown) return DOWN;
      mails.push(mail);
      return null;
    },
    check: async () => (here.isDown ? DOWN : null),
  };
  /** A process: each call is one look. */
  const process = (more: Partial<Parameters<typeof createCheck>[0]> = {}): Look =>
    createCheck({
      mailer,
      alertTo: TO,
      desks: async () => new Map(),
      from: FROM,
      file: stateFile(keys),
      statusUrl: 'https://by.example/status',
      server: 'tre',
      log: { debug: note, info: note, warn: note, error: note },
      clock: () => here.now,
      concerns: async () => here.concerns,
      calendar: () => 'Hva skjer',
      norwegian: () => 'nb',
      ...more,
    });
  const pass = async (minutes: number, ...looks: readonly Look[]) => {
    for (let minute = 0; minute < minutes; minute++) {
      for (const look of looks) await look();
      here.now += MINUTE;
    }
  };
  return Object.assign(here, { process, pass });
}

export const settingsOf = (keys: string) => ({
  keys,
  publicUrl: new URL('https://by.example/'),
  mailFrom: FROM,
  alertTo: TO,
});
