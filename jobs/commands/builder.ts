/**
 * Keeps a snapshot folder current: an annex builds on a schedule, or copies snapshots (jobs/annex.ts). The environment, the clock and
 * randomness enter here, and are arguments everywhere else.
 */
import { messageOf } from '../../src/calendar/errors.ts';
import type { Log } from '../../src/calendar/log.ts';
import { logged, stopOnSignals } from '../../src/runtime/entry.ts';
import { createLog } from '../../src/runtime/log.ts';
import type { Builder, BuilderOptions } from '../../src/runtime/server.ts';
import {
  type AnnexUpkeep,
  addBuild,
  type BuildRecord,
  type BuildTotal,
  NO_UPKEEP,
  type Upkeep,
} from '../../src/upkeep.ts';
import { readUpkeep, writeUpkeep } from '../../src/upkeep-file.ts';
import { type BuildAnnex, createBuildParts, type Follow, type Program, type Service } from '../annex.ts';
import * as annexes from '../annexes.ts';
import type { Settings, SettingsRead } from '../settings.ts';

/** Throws INVALID_SETTING for settings that an annex refuses. The first build or copy begins at once. */
export async function startBuilder(settings: Settings, options: BuilderOptions): Promise<Builder> {
  const { log } = options;
  const parts = await createBuildParts(ANNEXES, settings, (name) => process.env[name]);
  const follow = await followIn(settings);
  const journal = createJournal(settings.snapshots, options);
  const services: Service[] = [];
  const addRecord = (record: BuildRecord) => {
    journal.addRecord(record);
    for (const service of services) service.onBuild?.(record);
  };
  const dependencies = {
    log,
    clock: Date.now,
    random: Math.random,
    reportState: journal.reportState,
    previous: await previousUpkeep(settings.snapshots, log),
  };
  const follower = follow?.(settings, { ...dependencies, reported: journal.upkeep }, addRecord);
  const program: Program = { ...dependencies, build: follower?.build ?? null };
  for (const { startService } of parts.values())
    if (startService !== undefined) services.push(startService(program));
  if (follower !== undefined) services.push(follower);
  journal.save();
  return {
    upkeep: journal.upkeep,
    repair: () => follower?.repair(),
    stop: async () => {
      await Promise.all(services.map(({ stop }) => stop()));
      await journal.saved();
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

/** The state that the previous run of the program wrote into the folder. Builds begin even if the folder cannot be read. */
async function previousUpkeep(folder: string, log: Log): Promise<Upkeep> {
  try {
    return await readUpkeep(folder);
  } catch (cause) {
    log.warn({ reason: messageOf(cause) }, 'earlier state of the builder not read');
    return NO_UPKEEP;
  }
}

interface Journal extends Pick<Program, 'reportState'> {
  readonly addRecord: (record: BuildRecord) => void;
  /** The latest builds, the totals, and the states of annexes. */
  readonly upkeep: () => Upkeep;
  /** Writes the present state into the folder, after earlier ones. */
  readonly save: () => void;
  /** Resolves once all states are written. */
  readonly saved: () => Promise<void>;
}

/** Latest builds and copies, for `/status`; older ones are in the totals. */
const MOST_RECORDS = 20;

/** What a builder reports to servers, which read it from the snapshot folder. */
function createJournal(folder: string, { log, onBuild, onChange }: BuilderOptions): Journal {
  let records: readonly BuildRecord[] = [];
  let totals: readonly BuildTotal[] = [];
  let states: Partial<AnnexUpkeep> = {};
  const saver = createSaver(folder, log);
  const upkeep = () => ({ ...states, builds: records, totals });
  const save = () => saver.save(upkeep());
  return {
    upkeep,
    save,
    saved: saver.saved,
    addRecord: (record) => {
      records = [record, ...records].slice(0, MOST_RECORDS);
      totals = addBuild(totals, record);
      save();
      onBuild?.();
    },
    reportState: (changes) => {
      states = { ...states, ...changes };
      save();
      onChange?.();
    },
  };
}

interface Saver {
  readonly save: (upkeep: Upkeep) => void;
  readonly saved: () => Promise<void>;
}

/** Writes each new state into the folder, one after the other. */
function createSaver(folder: string, log: Log): Saver {
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
