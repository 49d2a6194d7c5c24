/** Certificates of servers that a private authority has signed, or nobody. */

import { X509Certificate } from 'node:crypto';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/** Nobody whom Node trusts has signed the certificate. Others, such as one that has expired, are not made valid by trusting an authority. */
const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Whether a request failed because of the certificate of its server. */
export function isUntrusted(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && UNTRUSTED.has(String(error.code))) || isUntrusted(error.cause);
}

/** From now on, this process trusts what these authorities have signed as well. False if the text has no certificates, or one that is damaged. */
export function trustAuthorities(pem: string): boolean {
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs) ?? [];
  if (certificates.length === 0 || !certificates.every(isCertificate)) return false;
  setDefaultCACertificates([...getCACertificates('default'), ...certificates]);
  return true;
}

function isCertificate(pem: string): boolean {
  try {
    void new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}
