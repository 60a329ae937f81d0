/** A secret as it is stored: unreadable without the key that `keyId` names. */
export interface SealedSecret {
  $sealed: { keyId: string; iv: string; data: string; tag: string };
}
