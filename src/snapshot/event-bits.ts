/** Sets of events as a bit each, in words of 32: a set of 200,000 takes 25 KB, and two are joined in microseconds. */
export type EventBits = Uint32Array<ArrayBuffer>;

/** Which events hold something, and which of them do in their titles and descriptions. */
export interface Holding {
  readonly anywhere: EventBits;
  readonly inTexts: EventBits;
}

export function holdingNothing(events: number): Holding {
  return { anywhere: noEvents(events), inTexts: noEvents(events) };
}

export function noEvents(count: number): EventBits {
  return new Uint32Array(Math.ceil(count / 32));
}

export function setEvent(bits: EventBits, event: number): void {
  const word = event >>> 5;
  bits[word] = (bits[word] as number) | (1 << event);
}

export function addEvents(bits: EventBits, others: EventBits): void {
  for (let word = 0; word < bits.length; word++)
    bits[word] = (bits[word] as number) | (others[word] as number);
}

export function keepCommon(bits: EventBits, others: EventBits): void {
  for (let word = 0; word < bits.length; word++)
    bits[word] = (bits[word] as number) & (others[word] as number);
}

export function isEmpty(bits: EventBits): boolean {
  return bits.every((word) => word === 0);
}

/** Calls back with each event of the set, ascending, until one call gives true; tells whether one did. */
export function someEvent(bits: EventBits, test: (event: number) => boolean): boolean {
  for (let word = 0; word < bits.length; word++) {
    for (let rest = bits[word] as number; rest !== 0; rest &= rest - 1) {
      if (test(32 * word + 31 - Math.clz32(rest & -rest))) return true;
    }
  }
  return false;
}
