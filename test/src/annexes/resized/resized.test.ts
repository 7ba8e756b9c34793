/** I17: the pages, feeds and fields that name copies of pictures. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { create, resizedWith } from '../../../../src/annexes/resized/resized.ts';
import { contextOf, withAnnex } from '../../../helpers/annex.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { rejects } from '../../../helpers/errors.ts';
import { eachIn, plainText } from '../../../helpers/html.ts';
import { LICENCE, sourceFolder } from '../../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';

const SECRET = 'a-secret-of-both-servers';
const SITE = 'https://kalender.example';
const ORIGIN = 'bilder.example';
const COVER = `http://${ORIGIN}/fjord%20og%20fjell.png?v=1&b=2`;

const OWN = `${SITE}/pictures/own.svg`;
const INSIDE = 'https://10.0.0.1/a.png';

const EVENT = { dates: [{ start: '2026-02-01 19:00' }] };
const SOURCE = {
  'licence.json': { ...LICENCE, siteUrl: undefined },
  'events.json': [
    { ...EVENT, id: 'a', title_nb: 'Fjord', images: [{ urlSmall: `${COVER}&small`, urlLarge: COVER }] },
    { ...EVENT, id: 'b', title_nb: 'Inne', images: [{ urlSmall: INSIDE, urlLarge: INSIDE }] },
    { ...EVENT, id: 'c', title_nb: 'Egen', images: [{ urlLarge: OWN }] },
  ],
};

interface Pages {
  running: Running;
}

const pages = suite<Pages>('pages with copies of pictures');

pages.before(async (context) => {
  const settings = { pictureSecret: SECRET, publicUrl: new URL(`${SITE}/`) };
  context.running = await startBuilt(sourceFolder(SOURCE), NOW, { context: { settings } });
});
pages.after(({ running }) => running.close());

/** A copy, as a page names it. */
const copyOf = (width: number, query = 'v=1&b=2') =>
  new RegExp(
    `^${SITE}/pictures/${width}/[\\w-]{22}/${ORIGIN}/fjord%20og%20fjell\\.png\\?${query.replace('&', '[&]')}$`,
  );

withAnnex('listing', pages)(
  'I17: should offer two widths in a list, and no picture of another server',
  async ({ running }) => {
    const { text, headers } = await running.send('/events.html', { headers: { accept: 'text/html' } });
    const [tag = '', own = '', ...others] = eachIn(text, /<img ([^>]*) loading="lazy">/g);
    const [, narrow = '', wide = ''] = /^(\S+) 320w, (\S+) 640w$/.exec(attributeOf('srcset', tag)) ?? [];
    assert.is(attributeOf('src', tag), narrow);
    assert.match(narrow, copyOf(320));
    assert.match(wide, copyOf(640));
    assert.is(attributeOf('src', own), OWN);
    assert.equal(others, []);
    assert.match(String(headers['content-security-policy']), `img-src 'self' data: ${SITE};`);
    assert.match(attributeOf('content', /<meta property="og:image"[^>]*>/.exec(text)?.[0]), copyOf(1280));
  },
);

/** The value of an attribute of a tag. */
function attributeOf(name: string, tag = ''): string {
  const [value = ''] = eachIn(tag, new RegExp(`(?:^| )${name}="([^"]*)"`, 'g'));
  return plainText(value);
}

withAnnex('listing', pages)('I17: should offer two widths on the page of an event', async ({ running }) => {
  const { text } = await running.send('/events/fjord.html');
  const tag = /<figure class="cover">(<img [^>]*>)/.exec(text)?.[1];
  const [, narrow = '', wide = ''] = /^(\S+) 640w, (\S+) 1280w$/.exec(attributeOf('srcset', tag)) ?? [];
  assert.match(narrow, copyOf(640));
  assert.match(wide, copyOf(1280));
  const without = await running.send('/events/inne.html');
  assert.not.match(without.text, '10.0.0.1/a.png">');
  assert.match(without.text, `<meta property="og:image" content="${SITE}/share.png">`);
});

withAnnex('feeds', pages)('I17: should name copies in feeds that visitors read', async ({ running }) => {
  const rss = await running.send('/events.rss');
  assert.match(attributeOf('url', /<enclosure [^>]*>/.exec(rss.text)?.[0]), copyOf(1280));
  const { text } = await running.send('/events.ics');
  const [image = ''] = eachIn(text.replaceAll('\r\n ', ''), /^IMAGE;\S*?:(.*)\r$/gm);
  assert.match(image, copyOf(1280));
});

withAnnex('embed', pages)('I17: should name a copy in the list of an embed', async ({ running }) => {
  const { events } = JSON.parse((await running.send('/embed.json')).text);
  const small = events.map(({ images }: { images: { urlSmall: string | null }[] }) => images[0]?.urlSmall);
  assert.match(small[0], copyOf(320, 'v=1&b=2&small'));
  assert.equal(small.slice(1), [null, OWN]);
});

interface Pictured {
  readonly events: { readonly data: readonly { readonly images: readonly PicturedImage[] }[] };
}

interface PicturedImage {
  readonly urlLarge: string;
  readonly urlSmall: string | null;
  readonly copies: readonly { readonly url: string; readonly width: number }[] | null;
}

pages('P7, I17: should name the originals in the API, and their copies beside them', async ({ running }) => {
  const query = '{ events { data { images { urlSmall urlLarge copies { url width } } } } }';
  const { events } = await running.ask<Pictured>(query);
  const [[fjord], [inside], [own]] = events.data.map(({ images }) => images) as [
    PicturedImage[],
    PicturedImage[],
    PicturedImage[],
  ];
  assert.equal([fjord?.urlSmall, fjord?.urlLarge], [`${COVER}&small`, COVER]);
  assert.equal(
    fjord?.copies?.map(({ width }) => width),
    [320, 640, 1280],
  );
  for (const { url, width } of fjord?.copies ?? []) assert.match(url, copyOf(width));
  assert.equal(inside?.copies, [], 'a picture that only its own server has');
  assert.is(own?.copies, null, 'a picture of the source folder');
});

pages('I17: should not start without the address that copies begin with', async ({ running }) => {
  const settings = { pictureSecret: SECRET, publicUrl: null };
  const context = contextOf({ keeper: running.keeper, settings });
  const starting = Promise.resolve().then(() => create({ ...context, parts: () => [] }));
  await rejects(starting, 'INVALID_SETTING', /ALMANAKK_PUBLIC_URL.*ALMANAKK_PICTURE_SECRET/);
});

/** Originals that the picture server would refuse. */
const WITHOUT_COPY = [
  'https://127.0.0.1/a.png',
  'https://[::1]/a.png',
  'https://0x7f.1/a.png',
  'https://localhost/a.png',
  'https://intern/a.png',
  'https://bilder.example:8443/a.png',
  'https://kari@bilder.example/a.png',
  'https://bilder.example/plakat.SVG?v=1',
  'https://bilder.example/a.avif',
  'data:image/png;base64,AAAA',
  'https://bilder.example/100%.png',
  'https://bilder.example/%00.png',
  `https://bilder.example/${'€'.repeat(900)}.png`,
];

for (const original of WITHOUT_COPY) {
  pages(`I17: should have no copy of ${original.slice(0, 60)}`, () => {
    assert.is(resizedWith(SECRET)(original, 320, SITE), null);
  });
}

pages.run();
