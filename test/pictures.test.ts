/** The pictures of README.md and docs/norsk.md are up to date: the pages show the same texts in the same order. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertAtLeast } from './helpers/assertions.ts';
import { inBrowser } from './helpers/browser.ts';
import { textsInPictures, textsInView, withPictured } from './readme/pictures.ts';

const pictures = inBrowser(suite('pictures of the README'));

pictures('should show what the pages show: node --import tsx test/readme/pictures.ts takes them anew', () =>
  withPictured(async (browser, calendar) => {
    const shown = await textsInView(browser, calendar);
    for (const [picture, texts] of Object.entries(shown))
      assertAtLeast(texts.length, 5, `texts in the picture ${picture}`);
    assert.equal(shown, textsInPictures());
  }),
);

pictures.run();
