/** The key of this tab. It is gone when the tab is closed, and is never part of a URL. */

const NAME = 'stockbook-key';

export function storedKey(): string | undefined {
  return sessionStorage.getItem(NAME) ?? undefined;
}

export function storeKey(key: string): void {
  sessionStorage.setItem(NAME, key);
}

export function forgetKey(): void {
  sessionStorage.removeItem(NAME);
}
