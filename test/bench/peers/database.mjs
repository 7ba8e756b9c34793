// How the peers reach SQLite. `shown` has the events that match a request, and every statement about them can name it.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * Each way opens a file. The result is called with the statement that selects the matching events, its values, and the function that
 * sends the statements about them: `work({ all, ofShown })`. It sends those about `shown` before it first waits.
 */
export const WAYS = {
  /** Each statement selects the matching events itself, as a resolver for each field does. */
  again: (file) => {
    const { all } = open(file);
    return (matching, values, work) => {
      const shown = `with shown as materialized (${matching})`;
      return work({ all, ofShown: (sql, more = []) => all(`${shown} ${sql}`, [...values, ...more]) });
    };
  },
  /** A temporary table gets the matching events, and the other statements read it. */
  once: (file) => {
    const connections = createPool(CONNECTIONS, () => openWithTable(file));
    return async (matching, values, work) => {
      const connection = await connections.take();
      try {
        const { all } = connection;
        await all(EMPTY, []);
        await all(`insert into shown ${matching}`, values);
        return await work({ all, ofShown: (sql, more = []) => all(sql, more) });
      } finally {
        connections.give(connection);
      }
    };
  },
  /** As `once`, by a driver that runs statements on the calling thread. No other request comes in between, so one connection is enough. */
  sync: (file) => {
    const { all } = openSynchronous(file);
    all(IN_MEMORY, []);
    all(SHOWN, []);
    return (matching, values, work) => {
      all(EMPTY, []);
      all(`insert into shown ${matching}`, values);
      return work({ all, ofShown: (sql, more = []) => all(sql, more) });
    };
  },
};

const IN_MEMORY = 'pragma temp_store = memory';
const SHOWN = 'create temporary table shown (id, start)';
const EMPTY = 'delete from shown';

/** As many as node-sqlite3 has threads: a request has a connection to itself. */
const CONNECTIONS = 4;

/** By sqlite3, which runs statements in Node's thread pool. */
export function open(file) {
  const sqlite3 = require('sqlite3');
  const database = new sqlite3.Database(file, sqlite3.OPEN_READONLY);
  const statements = new Map();
  const all = (sql, values = []) =>
    new Promise((resolve, reject) => {
      const statement = statements.get(sql) ?? database.prepare(sql);
      statements.set(sql, statement);
      statement.all(values, (error, rows) => (error === null ? resolve(rows) : reject(error)));
    });
  return { database, all };
}

async function openWithTable(file) {
  const connection = open(file);
  await connection.all(IN_MEMORY, []);
  await connection.all(SHOWN, []);
  return connection;
}

/** By better-sqlite3. */
function openSynchronous(file) {
  const Database = require('better-sqlite3');
  const database = new Database(file, { readonly: true });
  const statements = new Map();
  const all = (sql, values) => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    // A statement that returns no rows has to be run.
    return statement.reader ? statement.all(values) : statement.run(values);
  };
  return { all };
}

/** Opens all at once, and lends each to one at a time. */
function createPool(size, openOne) {
  const free = [];
  const waiting = [];
  const give = (one) => {
    const next = waiting.shift();
    if (next === undefined) free.push(one);
    else next(one);
  };
  for (let nth = 0; nth < size; nth++) openOne().then(give);
  const take = () => {
    const one = free.pop();
    return one === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(one);
  };
  return { take, give };
}
