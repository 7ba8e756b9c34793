/** Another commit's almanakk, measured in the same run: what each figure is there and here. */
import { spawnSync } from 'node:child_process';
import { basename, dirname, resolve } from 'node:path';
import type { Built } from '../calendars.ts';
import type { Measured } from '../rounds.ts';
import type { Held } from './memory.ts';
import { BESIDE, besideId } from './requests.ts';
import type { Starts } from './starts.ts';

export interface Beside {
  /** The other commit. */
  readonly name: string;
  readonly figures: readonly Figure[];
}

interface Figure {
  /** With its unit. */
  readonly what: string;
  readonly ours: number;
  readonly theirs: number;
}

export interface BothMeasured {
  readonly rows: readonly Measured[];
  readonly builds: Both<Built>;
  readonly starts: Both<Starts>;
  readonly held: Both<Held>;
}

interface Both<T> {
  readonly ours: T;
  readonly theirs: T;
}

/** By the commit that is checked out where the folder is, else by the folder's name. */
export function nameOf(dist: string): string {
  const cwd = dirname(resolve(dist));
  const { status, stdout } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : basename(cwd);
}

export function compare({ rows, builds, starts, held }: BothMeasured): Beside['figures'] {
  const row = (id: string) => rows.find((one) => one.id === id);
  const requests = BESIDE.flatMap((id) => {
    const [ours, theirs] = [row(id), row(besideId(id))];
    return ours === undefined || theirs === undefined
      ? []
      : [
          { what: `${ours.label}: CPU µs`, ours: ours.cpu, theirs: theirs.cpu },
          { what: `${ours.label}: lowest`, ours: ours.cpuRange[0], theirs: theirs.cpuRange[0] },
        ];
  });
  const figure = <T>(what: string, both: Both<T>, read: (one: T) => number): Figure => ({
    what,
    ours: read(both.ours),
    theirs: read(both.theirs),
  });
  const events = builds.ours.events.toLocaleString('en');
  return [
    ...requests,
    figure('start to ready, ms', starts, ({ readyMs }) => readyMs),
    figure('memory then, MB', starts, ({ bytes }) => bytes / 1e6),
    figure(`memory after ${held.ours.requests.toLocaleString('en')} different requests, MB`, held, megabytes),
    figure(`build of ${events} events, seconds`, builds, ({ seconds }) => seconds),
    figure('CPU seconds of it', builds, ({ cpuSeconds }) => cpuSeconds),
    figure('highest memory of it, MB', builds, ({ peakBytes }) => peakBytes / 1e6),
    figure('its file, MB', builds, megabytes),
  ];
}

const megabytes = ({ bytes }: { readonly bytes: number }): number => bytes / 1e6;
