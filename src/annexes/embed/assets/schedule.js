/** The refresh clock of an element: when its list is requested again. All moments are in milliseconds since 1970. */
import { SECOND } from './times.js';

/** Milliseconds. However long a page stays open, its list is never older than this when a reader looks at it. */
export const OLDEST = 5 * 60 * SECOND;
/** A reader who comes back to the page gets a new list, unless the last one is this young: caches may have the same one for as long. */
const FRESH = 60 * SECOND;
const RETRY = 60 * SECOND;
/** Pages spread over this time the requests that fall due at the same second. */
const SPREAD = 10 * SECOND;
/** Browsers run a timer at once that is set for longer than this. */
const LONGEST_TIMER = 2_147_483_647;

export class Schedule {
  #onTime;
  #timer = 0;
  /** The moment from which the next request is due. */
  #requestAt = 0;
  /** The earliest request for a reader who comes back to the page. */
  #earliestRefresh = 0;

  /** `onTime` runs at the moments that `wake` sets. */
  constructor(onTime) {
    this.#onTime = onTime;
  }

  followAnswer(now) {
    this.#requestAt = now + OLDEST;
    this.#earliestRefresh = now + FRESH;
  }

  /** A reader who comes back also waits for the next try. */
  followFailure(now) {
    this.#requestAt = now + RETRY + Math.random() * SPREAD;
    this.#earliestRefresh = this.#requestAt;
  }

  /** The same request would be refused again. */
  followRefusal() {
    this.#requestAt = Number.POSITIVE_INFINITY;
    this.#earliestRefresh = this.#requestAt;
  }

  /** The list has room for new events. */
  hasten(now) {
    this.#requestAt = Math.min(this.#requestAt, now + Math.random() * SPREAD);
  }

  /** The page becomes visible. */
  welcomeBack(now) {
    if (now >= this.#earliestRefresh) this.#requestAt = now;
  }

  isDue(now) {
    return now >= this.#requestAt;
  }

  /** Sets the timer for the next request, or for an earlier one of these moments. */
  wake(moments) {
    const next = Math.min(this.#requestAt, ...moments);
    clearTimeout(this.#timer);
    const wait = Math.min(Math.max(Math.ceil(next - Date.now()), SECOND), LONGEST_TIMER);
    this.#timer = setTimeout(this.#onTime, wait);
  }

  stop() {
    clearTimeout(this.#timer);
  }
}
