/** Light or dark. Until somebody chooses, it is what the system has. */

import { useEffect, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';

type Theme = 'light' | 'dark';

const NAME = 'stockbook-theme';

export function ThemeButton() {
  const [theme, setTheme] = useState(storedTheme);
  useEffect(() => {
    if (theme === undefined) return;
    document.documentElement.dataset['theme'] = theme;
    localStorage.setItem(NAME, theme);
  }, [theme]);
  const other: Theme = (theme ?? systemTheme()) === 'dark' ? 'light' : 'dark';
  return (
    <Button look="quiet" aria-label={`Use the ${other} theme`} onPress={() => setTheme(other)}>
      <Icon name={other === 'dark' ? 'moon' : 'sun'} />
    </Button>
  );
}

function storedTheme(): Theme | undefined {
  const stored = localStorage.getItem(NAME);
  return stored === 'light' || stored === 'dark' ? stored : undefined;
}

function systemTheme(): Theme {
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}
