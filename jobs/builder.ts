/**
 * Keeps a snapshot folder current: an annex builds on a schedule, or copies snapshots (jobs/annex.ts). The environment, the clock and
 * randomness enter here, and are arguments everywhere else.
 */

import { messageOf } from '../src/calendar/errors.ts';
import type { Log } from '../src/calendar/log.ts';
import { logged, stopOnSignals } from '../src/runtime/entry.ts';
import { createLog } from '../src/runtime/log.ts';
import type { Builder, BuilderOptions } from '../src/runtime/server.ts';
import { type AnnexUpkeep, addBuild, type BuildRecord, type BuildTotal, type Upkeep } from '../src/upkeep.ts';
import { writeUpkeep } from '../src/upkeep-file.ts';
import { type BuildAnnex, createBuildParts, type Follow, type Program, type Service } from './annex.ts';
import * as annexes from './annexes.ts';
import type { Settings, SettingsRead } from './settings.ts';

/** Throws INVALID_SETTING for settings that an annex refuses. The first build or copy begins at once. */
export async function startBuilder(settings: Settings, options: BuilderOptions): Promise<Builder> {
  const { log, onBuild, onChange } = options;
  const parts = await createBuildParts(ANNEXES, settings, (name) => process.env[name]);
  const follow = await followIn(settings);
  const services: Service[] = [];
  const records: BuildRecord[] = [];
  let totals: readonly BuildTotal[] = [];
  let state: Partial<AnnexUpkeep> = {};
  const upkeep = () => ({ ...state, builds: records, totals });
  const saver = createSaver(settings.snapshots, log);
  const reportState: Program['reportState'] = (changes) => {
    state = { ...state, ...changes };
    saver.save(upkeep());
    onChange?.();
  };
  const addRecord = (record: BuildRecord) => {
    records.unshift(record);
    records.splice(MOST_RECORDS);
    totals = addBuild(totals, record);
    saver.save(upkeep());
    onBuild?.();
    for (const service of services) service.onBuild?.(record);
  };
  const dependencies = { log, clock: Date.now, random: Math.random, reportState };
  const follower = follow?.(settings, dependencies, addRecord);
  const program: Program = { ...dependencies, build: follower?.build ?? null };
  for (const { startService } of parts.values())
    if (startService !== undefined) services.push(startService(program));
  if (follower !== undefined) services.push(follower);
  saver.save(upkeep());
  return {
    upkeep,
    repair: () => follower?.repair(),
    stop: async () => {
      await Promise.all(services.map(({ stop }) => stop()));
      await saver.saved();
    },
  };
}

const ANNEXES: readonly BuildAnnex<Settings>[] = Object.values(annexes);

async function followIn(settings: Settings): Promise<Follow<Settings> | undefined> {
  for (const { follow } of ANNEXES) {
    const program = await follow?.(settings);
    if (program) return program.follow;
  }
  return undefined;
}

/** Latest builds and copies, for `/status`; older ones are in the totals. */
const MOST_RECORDS = 20;

/** Writes each new state into the folder, one after the other. */
function createSaver(folder: string, log: Log) {
  let latest = '';
  let saved = Promise.resolve();
  const write = async (upkeep: Upkeep) => {
    try {
      await writeUpkeep(folder, upkeep);
    } catch (cause) {
      log.warn({ reason: messageOf(cause) }, 'state of the builder not saved');
    }
  };
  return {
    save: (upkeep: Upkeep) => {
      const text = JSON.stringify(upkeep);
      if (text === latest) return;
      latest = text;
      saved = saved.then(() => write(upkeep));
    },
    saved: () => saved,
  };
}

/** A program that only builds. */
export async function runBuilder({ settings, warnings }: SettingsRead): Promise<void> {
  const log = createLog({ level: settings.logLevel, format: settings.logFormat });
  for (const warning of warnings) log.warn(warning);
  const builder = await startBuilder(settings, { log });
  stopOnSignals(logged(log, builder.stop));
}
