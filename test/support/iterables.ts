/** Iterables that yield later, from and to what is there now. */

export async function* once<Item>(item: Item): AsyncIterable<Item> {
  yield item;
}

export async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}
