/** H11: a running server that watches its source folder. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { clientOf } from '../../../helpers/client.ts';
import { vcalendar, vevent } from '../../../helpers/feed-files.ts';
import { always, startFeedServer } from '../../../helpers/feed-server.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { endPrograms, startServerProgram } from '../../../helpers/program.ts';
import { eventually } from '../../../helpers/until.ts';

const watching = suite('a server that watches its source');

interface Answer {
  readonly events: { readonly data: readonly { readonly title_nb: string }[] };
}

async function titlesOf(url: string): Promise<readonly string[]> {
  const { events } = await clientOf(url).ask<Answer>('{ events { data { title_nb } } }');
  return events.data.map(({ title_nb }) => title_nb);
}

watching.after.each(endPrograms);

watching('H11: should serve a corrected title, and send no request to feeds', async () => {
  const feed = vcalendar(vevent('a').replace('20260401', '20990401'));
  const feeds = await startFeedServer(always(200, feed));
  const calendarEvents = (title: string) => [
    { id: 'own', title_nb: title, dates: [{ start: '2099-02-01 19:00' }] },
  ];
  const source = sourceFolder({
    'events.json': calendarEvents('Tittel'),
    'sources.json': [{ id: 'hall', kind: 'ical', url: feeds.url }],
  });
  const { url } = await startServerProgram('start', {
    ALMANAKK_SOURCE: source,
    ALMANAKK_SNAPSHOTS: join(temporaryFolder(), 'snapshots'),
    ALMANAKK_ALLOW_PRIVATE_FEEDS: 'true',
  });
  try {
    assert.equal(await titlesOf(url), ['Tittel', 'Kveld a']);
    const requests = feeds.requests.length;
    writeFileSync(join(source, 'events.json'), JSON.stringify(calendarEvents('Rettet')));
    await eventually('the correction is served', async () => (await titlesOf(url))[0] === 'Rettet');
    assert.equal(await titlesOf(url), ['Rettet', 'Kveld a']);
    assert.is(feeds.requests.length, requests, 'requests for feeds');
  } finally {
    await feeds.close();
  }
});

watching.run();
