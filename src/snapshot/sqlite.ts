/**
 * SQLite as promises with typed rows. The only importer of the sqlite3 package: replacing the package means replacing this file.
 * A connection runs one statement at a time, so that an interrupt hits the statement that was too slow and no other.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import sqlite3 from 'sqlite3';
import { onOneLine } from '../calendar/display-text.ts';
import { CalendarError, type ErrorCode, isCalendarError, systemCodeOf } from '../calendar/errors.ts';
import type { Reader, Row, Value } from './reader.ts';

export interface Writer extends Reader {
  /** Any number of statements without values. */
  readonly exec: (sql: string) => Promise<void>;
  readonly run: (sql: string, values: readonly Value[]) => Promise<void>;
}

export interface ReaderOptions {
  /** Statements that can run at the same time. */
  readonly connections?: number;
  /** Milliseconds that one statement may run; 0 for no limit. */
  readonly timeout?: number;
}

/** Milliseconds of one statement. */
const STATEMENT_TIMEOUT_MS = 2_000;

/**
 * Opens a file that is no longer written to: no locks, no journal, no memory mapping. A spare connection costs only its page cache; one too
 * few makes a fast statement wait for a slow one. The file may come from elsewhere (H7): nothing in its schema is executed, and no value
 * may be longer than any that a build writes.
 */
export async function openReader(path: string, options: ReaderOptions = {}): Promise<Reader> {
  const { connections = 2, timeout = STATEMENT_TIMEOUT_MS } = options;
  const uri = `${pathToFileURL(resolve(path)).href}?immutable=1`;
  const mode = sqlite3.OPEN_READONLY | sqlite3.OPEN_URI;
  const opened: Connection[] = [];
  try {
    for (let count = 0; count < connections; count++) {
      const connection = await Connection.open(uri, mode, { path, timeout, failure: 'SNAPSHOT_UNUSABLE' });
      opened.push(connection);
      connection.limit(LIMIT_LENGTH, LONGEST_VALUE);
      connection.limit(LIMIT_SQL_LENGTH, LONGEST_STATEMENT);
      await connection.exec(
        `pragma trusted_schema = off; pragma cell_size_check = on; pragma cache_size = -${PAGES_KB}`,
      );
    }
  } catch (cause) {
    await Promise.all(opened.map((connection) => connection.close()));
    throw cause;
  }
  return poolOf(opened);
}

/** Kilobytes of pages that a connection caches. The system caches the file besides, for all processes: more of them save no CPU. */
const PAGES_KB = 256;

/** SQLite's numbers for limits of `sqlite3_limit`. */
const LIMIT_LENGTH = 0;
const LIMIT_SQL_LENGTH = 1;

/** Bytes of a text or blob: several times the longest list of ten million occurrences. */
const LONGEST_VALUE = 256 * 1_024 * 1_024;
/** Bytes of a statement, those of the schema included. */
const LONGEST_STATEMENT = 64 * 1_024;

/** Opens a file for writing; creates it if it is missing. Statements have no time limit. */
export async function openWriter(path: string): Promise<Writer> {
  const mode = sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE;
  const connection = await Connection.open(path, mode, { path, timeout: 0, failure: 'BUILD_REFUSED' });
  const pool = poolOf([connection]);
  const ignore = () => undefined;
  return {
    ...pool,
    exec: (sql) => connection.exec(sql),
    run: async (sql, values) => {
      await pool.all(sql, values, ignore);
    },
  };
}

/**
 * SQL for a new file with pages of so many bytes. It is unused until it is published, so it needs neither a journal nor a sync of its own.
 */
export function setupOf(pageSize: number): string {
  return `
    pragma page_size = ${pageSize};
    pragma encoding = 'UTF-8';
    pragma auto_vacuum = none;
    pragma journal_mode = off;
    pragma synchronous = off;
    pragma locking_mode = exclusive;
    pragma temp_store = memory;
  `;
}

/** Passes each statement to an idle connection; further ones wait in order. */
function poolOf(connections: readonly Connection[]): Reader {
  const idle = [...connections];
  const waiting: ((connection: Connection) => void)[] = [];
  const acquire = (): Promise<Connection> | Connection =>
    idle.pop() ?? new Promise<Connection>((grant) => waiting.push(grant));
  const release = (connection: Connection): void => {
    const next = waiting.shift();
    if (next === undefined) idle.push(connection);
    else next(connection);
  };
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    for (const _ of connections) await (await acquire()).close();
  };
  return {
    async all(sql, values, read) {
      if (closing !== undefined) throw new Error(`expected an open database, found a closed one: ${sql}`);
      const connection = await acquire();
      try {
        return (await connection.all(sql, values)).map(read);
      } finally {
        release(connection);
      }
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

interface ConnectionOptions {
  readonly path: string;
  /** Milliseconds, 0 for no limit. */
  readonly timeout: number;
  /** Code of every SQLite error that FAULTS does not list. */
  readonly failure: ErrorCode;
}

interface Fault {
  readonly code?: ErrorCode;
  /** Advice for the operator. */
  readonly advice?: string;
}

/** SQLite's errors that say more than the code of the connection. */
const FAULTS: Readonly<Record<string, Fault>> = {
  SQLITE_BUSY: { code: 'BUILD_LOCKED', advice: 'wait until the other one has finished' },
  SQLITE_CANTOPEN: { advice: 'make sure that the folder exists and is writable' },
  SQLITE_FULL: { code: 'DISK_FULL', advice: 'free some space on this disk' },
  SQLITE_INTERRUPT: { code: 'TIMEOUT' },
  SQLITE_IOERR: { advice: 'check the disk for errors and free space' },
  SQLITE_READONLY: { advice: 'make sure that the folder is writable' },
};

/** One handle and its prepared statements; SQLite closes the handle only after all of them are finalized. */
class Connection {
  readonly #handle: sqlite3.Database;
  readonly #options: ConnectionOptions;
  readonly #statements = new Map<string, sqlite3.Statement>();

  private constructor(handle: sqlite3.Database, options: ConnectionOptions) {
    this.#handle = handle;
    this.#options = options;
  }

  static open(name: string, mode: number, options: ConnectionOptions): Promise<Connection> {
    return new Promise((done, fail) => {
      const handle: sqlite3.Database = new sqlite3.Database(name, mode, (error) => {
        if (error === null) done(new Connection(handle, options));
        else fail(failed(error, options, 'open'));
      });
    });
  }

  limit(what: number, most: number): void {
    this.#handle.configure('limit', what, most);
  }

  async all(sql: string, values: readonly Value[]): Promise<readonly Row[]> {
    const { path, timeout } = this.#options;
    const interrupt = () => this.#handle.interrupt();
    // Repeat the interrupt: the statement may still be queued for a thread when the first one fires.
    // Preparing reads the schema, which may be long.
    const timer = timeout === 0 ? undefined : setInterval(interrupt, timeout);
    try {
      const statement = this.#statements.get(sql) ?? (await this.#prepare(sql));
      return await this.#call<readonly Row[]>(sql, (done) => {
        statement.all<Row>(values.map(bindable), done);
      });
    } catch (cause) {
      // H14: any other failure stays what it is, however late it comes. It may mean that the file is damaged.
      if (!isCalendarError(cause) || cause.code !== 'TIMEOUT') throw cause;
      // D2: clients read the message. The cause names the file and the statement, for the log only.
      throw new CalendarError('TIMEOUT', `Expected an answer within ${timeout} ms, found none`, {
        cause: new Error(`${path}: interrupted after ${timeout} ms: ${onOneLine(sql)}`),
      });
    } finally {
      clearInterval(timer);
    }
  }

  exec(sql: string): Promise<void> {
    return this.#call(sql, (done) => {
      this.#handle.exec(sql, done);
    });
  }

  async close(): Promise<void> {
    for (const statement of this.#statements.values())
      await new Promise<void>((done) => statement.finalize(() => done()));
    await this.#call('close', (done) => this.#handle.close(done));
  }

  /** A call of the package as a promise. */
  #call<Result = void>(sql: string, call: (done: Done<Result>) => void): Promise<Result> {
    return new Promise((succeed, reject) => {
      call((error, result) => {
        if (error === null) succeed(result);
        else reject(failed(error, this.#options, sql));
      });
    });
  }

  async #prepare(sql: string): Promise<sqlite3.Statement> {
    const statement = await this.#call<sqlite3.Statement>(sql, (done) => {
      const preparing: sqlite3.Statement = this.#handle.prepare(sql, (error: Error | null) =>
        done(error, preparing),
      );
    });
    this.#statements.set(sql, statement);
    return statement;
  }
}

type Done<Result> = (error: Error | null, result: Result) => void;

/** The package accepts bytes only as a Buffer; this is a view, not a copy. */
function bindable(value: Value): string | number | null | Buffer {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
}

/** The message may be shown, such as on `/readyz`; the statement is in the cause, for the log only. */
function failed(cause: Error, { path, failure }: ConnectionOptions, sql: string): CalendarError {
  const { code = failure, advice }: Fault = FAULTS[systemCodeOf(cause)] ?? {};
  const message = `${path}: ${cause.message}`;
  return new CalendarError(code, advice === undefined ? message : `${message}: ${advice}`, {
    cause: new Error(`${cause.message} (${onOneLine(sql).slice(0, 200)})`, { cause }),
  });
}
