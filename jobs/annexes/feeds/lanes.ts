/** Work on several items at once. */

/** Each lane takes the next item as soon as it is free, so a slow item delays only its own lane. Rejects with the first failure. */
export async function inLanes<Item>(
  items: readonly Item[],
  lanes: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  // The lanes share one iterator: what one has taken, no other gets.
  const waiting = items.values();
  const lane = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
