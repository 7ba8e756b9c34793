/** The element: its attributes, the requests for its list, and what it shows while it waits, when it fails and when it has a list. */
import { ATTRIBUTES, filterOf, limitOf, nearKmOf, unknownAttributes } from './attributes.js';
import { itemOf } from './item.js';
import { linkTo, ownLink, pageAt } from './links.js';
import { make } from './make.js';
import { endpoint, fetchList, Refusal } from './request.js';
import { OLDEST, Schedule } from './schedule.js';
import { LANGUAGES, wordsIn } from './texts.js';
import { clockText, overOf, SECOND } from './times.js';

/** The styles of embed.css. The server writes them here. */
const STYLES = '';

/** Milliseconds for which the element waits for an answer, or for the reader's position. */
const GIVE_UP = 15 * SECOND;
/** More events than fit on a screen need no room while they load. */
const ON_SCREEN = 10;

/** Degrees to two decimals, at most about 600 m off: calendars need no more, and neighbours share a cached answer. */
const rounded = (degrees) => Math.round(degrees * 100) / 100;

class AlmanakkEvents extends HTMLElement {
  static observedAttributes = ATTRIBUTES;
  static endpoint = endpoint;

  #heading = make('h2');
  #nearMe = make('button', { type: 'button' });
  #rounded = make('small');
  #near = make('p', { className: 'near' }, this.#nearMe, this.#rounded);
  #list = make('ul');
  #state = make('p', { className: 'state' });
  #more = make('div', { className: 'more' });
  #source = make('p', { className: 'source' });
  #section = make(
    'section',
    {},
    ...[this.#heading, this.#near, this.#list, this.#state, this.#more, this.#source],
  );
  /** The reader's position, once it was requested; it stays in this page. */
  #position = null;
  /** Null until the first answer. */
  #events = null;
  #showsMunicipality = false;
  /** The Norwegian of the calendar, once it has answered: `nb` or `nn`. */
  #norwegian = 'nb';
  /** Milliseconds since 1970. */
  #answeredAt = 0;
  /** Ends the running request; null while there is none. */
  #requesting = null;
  #schedule = new Schedule(() => this.#onTime());
  /** Whether a request follows the attributes that are being set. */
  #isPlanned = false;

  constructor() {
    super();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES);
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [sheet];
    this.#list.setAttribute('role', 'list');
    this.#state.setAttribute('role', 'status');
    this.#section.tabIndex = -1;
    this.#nearMe.addEventListener('click', () => this.#toggleNear());
    root.append(this.#section);
  }

  connectedCallback() {
    document.addEventListener('visibilitychange', this.#onVisibility);
    this.#planRequest();
  }

  disconnectedCallback() {
    document.removeEventListener('visibilitychange', this.#onVisibility);
    this.#schedule.stop();
    this.#requesting?.abort();
  }

  /** Frameworks set attributes one by one: one request serves them all. */
  attributeChangedCallback() {
    if (this.isConnected) this.#planRequest();
  }

  #planRequest() {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    queueMicrotask(() => {
      this.#isPlanned = false;
      this.#events = null;
      if (!this.isConnected) return;
      for (const name of unknownAttributes(this))
        console.error(`almanakk-events: ${name}: expected one of ${ATTRIBUTES}`);
      // Not for further tries: the page would move at each of them.
      this.#section.classList.add('loading');
      this.#section.style.setProperty('--events', Math.min(limitOf(this), ON_SCREEN));
      void this.#request();
    });
  }

  /** Only a click asks the browser for a position. */
  #toggleNear() {
    const moveTo = (position) => {
      this.#position = position;
      this.#planRequest();
    };
    if (this.#position !== null) return moveTo(null);
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude } }) =>
        moveTo({ latitude: rounded(latitude), longitude: rounded(longitude) }),
      () => this.#showState(this.#words.nowhere),
      { maximumAge: OLDEST, timeout: GIVE_UP },
    );
  }

  get #words() {
    return wordsIn(this.#language);
  }

  get #language() {
    const ofPage = this.closest('[lang]')?.lang.toLowerCase().split('-')[0] ?? '';
    if (['', 'no'].includes(ofPage)) return this.#norwegian;
    return LANGUAGES.includes(ofPage) ? ofPage : 'en';
  }

  async #request() {
    this.#schedule.stop();
    this.#requesting?.abort();
    const own = new AbortController();
    this.#requesting = own;
    const givingUp = setTimeout(() => own.abort(), GIVE_UP);
    this.#section.setAttribute('aria-busy', 'true');
    this.#showLabels();
    if (this.#events === null) {
      this.#list.replaceChildren();
      this.#showState(this.#words.loading);
    }
    try {
      // The browser may still have the list that is to be replaced.
      const cache = this.#events === null ? 'default' : 'no-cache';
      const answer = await fetchList(this.#parameters(), { signal: own.signal, cache });
      if (this.#requesting === own) this.#showAnswer(answer);
    } catch (thrown) {
      // A newer request has begun, or the element was removed.
      if (this.#requesting !== own || !this.isConnected) return;
      this.#showFailure(thrown);
    } finally {
      clearTimeout(givingUp);
      if (this.#requesting === own) {
        this.#requesting = null;
        this.#section.setAttribute('aria-busy', 'false');
        this.#section.classList.remove('loading');
        if (this.isConnected) this.#wakeNext();
      }
    }
  }

  /** The parameters of the address of the list. */
  #parameters() {
    const parameters = filterOf(this);
    if (this.#position !== null && this.hasAttribute('nearMe')) {
      const { latitude, longitude } = this.#position;
      parameters.set('near', [latitude, longitude, nearKmOf(this)]);
    }
    parameters.set('pageSize', limitOf(this));
    const key = this.getAttribute('key');
    if (key) parameters.set('key', key);
    return parameters;
  }

  #showAnswer({ events, calendar, showsMunicipality }) {
    this.#events = events;
    this.#showsMunicipality = showsMunicipality;
    this.#norwegian = calendar.language ?? 'nb';
    this.#answeredAt = Date.now();
    this.#schedule.followAnswer(this.#answeredAt);
    this.#showLabels();
    this.#showSource(calendar);
    this.#showState(events.length === 0 ? this.#words.none : '');
    this.#showEvents();
  }

  /** Without a heading, the section still has a name. */
  #showLabels() {
    const heading = this.getAttribute('heading') ?? '';
    this.#section.lang = this.#language;
    this.#section.dir = 'ltr';
    this.#heading.textContent = heading;
    this.#heading.hidden = heading === '';
    this.#near.hidden = !this.hasAttribute('nearMe') || !navigator.geolocation;
    this.#nearMe.textContent = `${this.#words.near} (${nearKmOf(this)} km)`;
    this.#nearMe.setAttribute('aria-pressed', String(this.#position !== null));
    this.#rounded.textContent = this.#words.rounded;
    this.#section.setAttribute('aria-label', heading === '' ? this.#words.events : heading);
  }

  #showState(text, ...more) {
    this.#state.textContent = text;
    this.#more.replaceChildren(...more);
  }

  /** The name of the calendar, which leads to the calendar's own site or, with `home`, to that of the page. */
  #showSource({ name, siteUrl }) {
    const home = this.getAttribute('home')?.trim() ?? '';
    const own = home === '' ? null : pageAt(home);
    if (home !== '' && own === null)
      console.error(`almanakk-events: home: expected a web address, found "${home}"`);
    this.#source.replaceChildren(make('a', { ...linkTo(own ?? siteUrl), textContent: name }));
  }

  /** Keeps the keyboard's focus on the event that has it. */
  #showEvents() {
    const focused = this.shadowRoot.activeElement?.dataset.id;
    const template = this.getAttribute('link');
    const display = {
      language: this.#language,
      link: template ?? '',
      hasPictures: this.hasAttribute('pictures'),
      showsMunicipality: this.#showsMunicipality,
    };
    this.#list.replaceChildren(...this.#events.map((event) => itemOf(event, display)));
    if (template !== null && this.#events.some((event) => !ownLink(template, event)))
      console.error(`almanakk-events: link: expected a web address with {slug} or {id}, found "${template}"`);
    if (focused) [...this.#list.querySelectorAll('a')].find(({ dataset }) => dataset.id === focused)?.focus();
  }

  #wakeNext() {
    this.#schedule.wake((this.#events ?? []).map(overOf));
  }

  /** Events that are over vanish at once; those in their place are requested a moment later. */
  #onTime() {
    // A page in the background is not seen: it is refreshed when it comes to the front.
    if (document.hidden || this.#requesting !== null) return;
    const now = Date.now();
    const left = this.#events?.filter((event) => overOf(event) > now) ?? [];
    if (left.length < (this.#events?.length ?? 0)) {
      this.#events = left;
      this.#showEvents();
      this.#schedule.hasten(now);
    }
    if (this.#schedule.isDue(now)) void this.#request();
    else this.#wakeNext();
  }

  #onVisibility = () => {
    this.#schedule.welcomeBack(Date.now());
    this.#onTime();
  };

  /** An older list stays, with the time of its answer. Without one, the content of the element is shown. */
  #showFailure(thrown) {
    const words = this.#words;
    const isRefused = thrown instanceof Refusal;
    const again = make('button', { type: 'button', textContent: words.again });
    again.addEventListener('click', () => {
      // The button disappears; the focus stays in the section.
      this.#section.focus();
      void this.#request();
    });
    if (this.#events !== null) {
      // In Sweden's form, `2026-11-22 19:00:00`, and on the reader's own clock.
      const at = clockText(new Date(this.#answeredAt).toLocaleString('sv-SE'), this.#language);
      this.#showState(`${words.stale} ${at}.`, again);
    } else if (isRefused) {
      // Only the author of the page can fix it.
      console.error(`almanakk-events: ${thrown.message}`);
      this.#showState(words.failed, make('slot'));
    } else this.#showState(words.failed, again, make('slot'));
    if (isRefused) this.#schedule.followRefusal();
    else this.#schedule.followFailure(Date.now());
  }
}

const defined = customElements.get('almanakk-events');
if (!defined) customElements.define('almanakk-events', AlmanakkEvents);
else if (defined.endpoint !== endpoint)
  console.error(`almanakk-events: expected one calendar, found ${defined.endpoint} and ${endpoint}`);
