/** The examples of the developer page, run as they are printed on it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decoded, eachIn } from '../../helpers/html.ts';
import { startPages } from '../../helpers/pages.ts';
import type { Running } from '../../helpers/running.ts';

const examples = suite<{ running: Running }>('examples');

examples.before(async (context) => {
  context.running = await startPages();
});

examples.after(({ running }) => running.close());

examples('should be in curl, fetch, Apollo, urql and Python', async ({ running }) => {
  const { text } = await running.send('/');
  assert.equal(eachIn(text, /<h3 id="example-(\w+)"/g), Object.keys(EXAMPLES));
});

const NODE = [process.execPath, '--input-type=module', '-'];

const MUSIC = 'filter: {categories: ["MUSIC"]}, pageSize: 5';
const COUNTED = async ({ ask }: Running) => {
  const { events } = await ask<Answer>(`{ events(${MUSIC}) { totalCount } }`);
  return `${events.totalCount} events\n`;
};
const LISTED = async (running: Running) => {
  const { events } = await running.ask<Answer>(
    `{ events(${MUSIC}) { data { title_nb title_en startDate venue { name } } } }`,
  );
  const lines = events.data.map(({ startDate, title_nb, title_en, venue }) =>
    [startDate, title_nb ?? title_en, venue?.name ?? ''].join(' '),
  );
  return `${await COUNTED(running)}${lines.join('\n')}\n`;
};

const CURL = async ({ post }: Running) =>
  (await post('{ events(pageSize: 5) { data { title_nb startDate } } }')).text;

/** How each is run, the program coming in as a text beside the packages that it names; and what it prints, of what the endpoint answers. */
const EXAMPLES = {
  curl: [['sh', '-s'], CURL],
  fetch: [NODE, LISTED],
  apollo: [NODE, COUNTED],
  urql: [NODE, COUNTED],
  python: [['python3', '-'], LISTED],
} as const;

for (const [id, [command, printed]] of Object.entries(EXAMPLES)) {
  examples(`should give what the endpoint answers, as printed: ${id}`, async ({ running }) => {
    const said = await run(running, id, command);
    assert.is(said, await printed(running));
    assert.match(said, /20\d\d-|^\d+ events/);
  });
}

async function run({ send }: Running, id: string, [command = '', ...args]: readonly string[]) {
  const { text: page } = await send('/?lang=en');
  const [, code = ''] =
    new RegExp(`aria-labelledby="example-${id}"[^>]*><code>([\\s\\S]*?)</code></pre>`).exec(page) ?? [];
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(decoded(code));
  const [said, [status]] = await Promise.all([text(child.stdout), once(child, 'close')]);
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
