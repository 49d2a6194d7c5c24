/** Switches between light and dark. */

import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { chooseTheme, currentTheme, type Theme } from './theme.ts';

export function ThemeButton() {
  const [theme, setTheme] = useState(currentTheme);
  const other: Theme = theme === 'dark' ? 'light' : 'dark';
  return (
    <Button
      look="quiet"
      aria-label={`Use the ${other} theme`}
      onPress={() => {
        chooseTheme(other);
        setTheme(other);
      }}
    >
      <Icon name={other === 'dark' ? 'moon' : 'sun'} />
    </Button>
  );
}
