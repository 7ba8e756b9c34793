/** The examples of the developer page, run as they are printed on it. */
import { spawn } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decoded, eachIn } from '../../helpers/html.ts';
import { startPages } from '../../helpers/pages.ts';
import type { Running } from '../../helpers/running.ts';

const examples = suite<{ running: Running; titles: readonly string[] }>('examples');

examples.before(async (context) => {
  context.running = await startPages();
  const { text: page } = await context.running.send('/');
  context.titles = eachIn(page, /<h3 id="example-(\w+)"/g);
});

examples.after(({ running }) => running.close());

examples('should be in curl, fetch, Apollo, urql and Python', ({ titles }) => {
  assert.equal(titles, ['curl', 'fetch', 'apollo', 'urql', 'python']);
});

const NODE = [process.execPath, '--input-type=module', '-'];

/** How each is run: the program comes in as a text, beside the packages that it names. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  curl: ['sh', '-s'],
  fetch: NODE,
  apollo: NODE,
  urql: NODE,
  python: ['python3', '-'],
};

examples('should give what the endpoint answers, as printed: curl', async ({ running }) => {
  const answer = JSON.parse(await run(running, 'curl'));
  const expected = await running.ask<Answer>('{ events(pageSize: 5) { data { title_nb startDate } } }');
  assert.equal(answer.data, expected);
});

for (const id of ['apollo', 'urql']) {
  examples(`should count the events of a category, as printed: ${id}`, async ({ running }) => {
    const { events } = await running.ask<Answer>(
      '{ events(filter: {categories: ["MUSIC"]}) { totalCount } }',
    );
    assert.is(await run(running, id), `${events.totalCount} events\n`);
  });
}

for (const id of ['fetch', 'python']) {
  examples(`should list the next events of a category, as printed: ${id}`, async ({ running }) => {
    const [head, ...lines] = (await run(running, id)).trim().split('\n');
    const { events } = await running.ask<Answer>(
      '{ events(filter: {categories: ["MUSIC"]}, pageSize: 5) { totalCount data { title_nb title_en startDate venue { name } } } }',
    );
    assert.is(head, `${events.totalCount} events`);
    assert.equal(
      lines.map((line) => line.trimEnd()),
      events.data.map(({ startDate, title_nb, title_en, venue }) =>
        [startDate, title_nb ?? title_en, venue?.name ?? ''].join(' ').trimEnd(),
      ),
    );
    assert.is(lines.length, 5);
  });
}

async function run({ send }: Running, id: string): Promise<string> {
  const { text: page } = await send('/?lang=en');
  const [, code = ''] =
    new RegExp(`aria-labelledby="example-${id}"[^>]*><code>([\\s\\S]*?)</code></pre>`).exec(page) ?? [];
  const [command = '', ...args] = COMMANDS[id] ?? [];
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(decoded(code));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const status = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  assert.is(status, 0);
  return said;
}

interface Answer {
  readonly events: {
    readonly totalCount: number;
    readonly data: readonly (Readonly<Record<'title_nb' | 'title_en', string | null>> & {
      readonly startDate: string;
      readonly venue: { readonly name: string } | null;
    })[];
  };
}

examples.run();
