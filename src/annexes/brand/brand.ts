/** `/brand.css`, `/logo` and `/logo-dark` (I15): the design that the current snapshot has. */
import { type Brand, type BrandPicture, COLOUR_FORM, SCHEMES } from '../../calendar/brand.ts';
import { CalendarError } from '../../calendar/errors.ts';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import type { Handle } from '../../serve/http/koa.ts';
import { createResource } from '../../serve/http/representation.ts';
import { BRAND_FILES, versionOf } from '../page/brand.ts';
import { createMakeOnce } from '../page/document.ts';

export function create({ keeper }: Pick<ServeContext, 'keeper'>): ServePart {
  const makeOnce = createMakeOnce(MOST_FILES);
  const handleOf =
    (file: string, contentOf: (brand: Brand) => BrandFile | null): Handle =>
    async ({ headers, search }) => {
      const brand = keeper.state().current?.meta.brand ?? null;
      const content = brand && contentOf(brand);
      if (brand === null || content === null)
        throw new CalendarError('NOT_FOUND', 'This calendar has no such file.');
      const version = versionOf(brand);
      const resource = await makeOnce([file, version], () => createResource(content));
      // The address in pages has the version.
      return resource(headers, search === version ? FOR_EVER : 'public, max-age=300');
    };
  const { stylesheet, logo, logoDark } = BRAND_FILES;
  return {
    offers: ['brand'],
    routes: {
      [`/${stylesheet}`]: { GET: handleOf(stylesheet, styles), about: null },
      [`/${logo}`]: { GET: handleOf(logo, (brand) => picture(brand.logo)), about: null },
      [`/${logoDark}`]: { GET: handleOf(logoDark, (brand) => picture(brand.logoDark)), about: null },
    },
  };
}

/** Files that stay in memory: those of a snapshot, and of the one before it. */
const MOST_FILES = 6;
const FOR_EVER = 'public, max-age=31536000, immutable';

type BrandFile = Pick<Parameters<typeof createResource>[0], 'body' | 'type' | 'headers'>;

function picture(logo: BrandPicture | null): BrandFile | null {
  if (logo === null || !TYPES.has(logo.type)) return null;
  return {
    body: Buffer.from(logo.base64, 'base64'),
    type: logo.type,
    // An SVG that is opened on its own runs no scripts and loads nothing.
    headers: ['Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox"],
  };
}

/** A snapshot from elsewhere may have any text. */
const TYPES: ReadonlySet<string> = new Set(['image/svg+xml', 'image/png', 'image/jpeg', 'image/webp']);

function styles({ accentLight, accentDark, logo, logoDark }: Brand): BrandFile {
  const rules = [
    accentsOf(readable(accentLight), readable(accentDark)),
    logo === null ? null : LOGO,
    logo !== null && logoDark === null ? PLATE : null,
  ];
  const body = Buffer.from(rules.filter((rule) => rule !== null).join(''));
  return { body, type: 'text/css; charset=utf-8', headers: [] };
}

const readable = (colour: string | null): string | null =>
  colour !== null && COLOUR_FORM.test(colour) ? colour : null;

const ACCENTS = ['link', 'bar'] as const;
type Accent = (typeof ACCENTS)[number];

/** Links, buttons and bars. The sandbox has its variables on its body. Browsers without light-dark() have the light colours only. */
function accentsOf(light: string | null, dark: string | null): string | null {
  if (light === null && dark === null) return null;
  const variables = (colourOf: (name: Accent) => string) =>
    `:root,\nbody {\n${ACCENTS.map((name) => `  --${name}: ${colourOf(name)};\n`).join('')}}\n`;
  const lightOf = (name: Accent) => light ?? SCHEMES.light[name];
  const darkOf = (name: Accent) => dark ?? SCHEMES.dark[name];
  const both = variables((name) => `light-dark(${lightOf(name)}, ${darkOf(name)})`);
  return `${variables(lightOf)}@supports (color: light-dark(#000, #fff)) {\n${both}}\n`;
}

const LOGO = `.brand img {
  display: block;
  width: auto;
  max-width: 10rem;
  height: 2.25rem;
  margin-inline-end: 0.75rem;
  object-fit: contain;
}
`;

/** Most logos are drawn for white paper. */
const PLATE = `@media (prefers-color-scheme: dark) {
  .brand img {
    padding: 0.2rem 0.35rem;
    border-radius: 3px;
    background: #fffdf8;
  }
}
`;
