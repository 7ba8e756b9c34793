/** The almanakk server of the trial, with a copy of the sample that a check can edit. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from './checks.mjs';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
/** ALMANAKK_URL in wp-config.php. */
export const ADDRESS = 'http://127.0.0.1:4000';

/** `eventPages`: the sites of the event pages, by municipality. */
export function newCalendar(place, eventPages) {
  const source = join(place, 'source');
  let server = null;
  cpSync(join(checkout, 'data/sample'), source, { recursive: true });
  edit('licence.json', (licence) => ({ ...licence, eventPages }));

  function edit(file, change) {
    const path = join(source, file);
    writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')))));
  }

  async function start() {
    const settings = { PORT: '4000', ALMANAKK_SOURCE: source, ALMANAKK_SNAPSHOTS: join(place, 'snapshots') };
    const env = { PATH: process.env.PATH, ...settings };
    server = spawn(process.execPath, [join(checkout, 'dist/src/main.js'), 'start'], {
      cwd: place,
      env,
      stdio: 'inherit',
    });
    await until(60, 'the calendar to be ready', async () => (await fetch(`${ADDRESS}/readyz`)).ok);
  }

  async function stop() {
    server.kill();
    await once(server, 'exit');
  }

  /** Takes an event out of the source, and waits for the build. */
  async function remove({ id, slug }) {
    edit('events.json', (events) => events.filter((event) => event.id !== id));
    const isGone = async () =>
      (await ask('query ($slug: String!) { eventBySlug(eventSlug: $slug) { id } }', { slug })).eventBySlug ===
      null;
    await until(60, `a build without ${slug}`, isGone);
  }

  return { start, stop, remove };
}

export async function ask(query, variables = {}) {
  const body = JSON.stringify({ query, variables });
  const headers = { 'Content-Type': 'application/json' };
  const { data, errors } = await (
    await fetch(`${ADDRESS}/graphQL`, { method: 'POST', headers, body })
  ).json();
  if (errors !== undefined) throw new Error(`expected data of the calendar, found ${JSON.stringify(errors)}`);
  return data;
}

/** The next events whose pages are on this site, as `{ id, slug, title, date }`, without those that are on today. */
export async function eventsOf(home) {
  const query = '{ events(pageSize: 1000) { data { id event_slug eventLink title_nb startDate } } }';
  const { events } = await ask(query);
  const today = new Date().toISOString().slice(0, 10);
  return events.data
    .filter(({ eventLink, startDate }) => eventLink.startsWith(`${home}/`) && startDate.slice(0, 10) > today)
    .map(({ id, event_slug: slug, title_nb: title, startDate }) => ({
      id,
      slug,
      title,
      date: startDate.slice(0, 10),
    }));
}
