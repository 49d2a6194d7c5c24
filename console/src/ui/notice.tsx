/** What is shown in place of data: why it is not there, and what to do about it. */

import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';
import './notice.css';

export interface NoticeProps {
  readonly title: string;
  readonly icon?: IconName;
  readonly tone?: 'calm' | 'danger';
  readonly children?: ReactNode;
  /** Buttons and links. */
  readonly actions?: ReactNode;
}

export function Notice({ title, icon, tone = 'calm', children, actions }: NoticeProps) {
  return (
    <div className={`notice notice-${tone}`} role={tone === 'calm' ? 'status' : 'alert'}>
      {icon && <Icon name={icon} />}
      <h2>{title}</h2>
      {children}
      {actions && <div className="notice-actions">{actions}</div>}
    </div>
  );
}
