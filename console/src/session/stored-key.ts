/** The key of this tab. It is gone when the tab is closed, and is never part of a URL. */

import { BrowserStorage } from '../ui/browser-storage.ts';

const NAME = 'stockbook-key';

const storage = new BrowserStorage(() => sessionStorage);

export function storedKey(): string | undefined {
  return storage.get(NAME);
}

export function storeKey(key: string): void {
  storage.set(NAME, key);
}

export function forgetKey(): void {
  storage.remove(NAME);
}
