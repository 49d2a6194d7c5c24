/** The page that the address leads to. */

import { useLocation } from 'wouter';
import { type Page, pageOf } from './page.ts';

export function usePage(): Page {
  const [path] = useLocation();
  return pageOf(path);
}
