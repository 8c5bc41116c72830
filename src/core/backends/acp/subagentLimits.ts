/** Of one session, more than anybody follows: what further ones do is left out. */
export const mostSubagents = 256;
/** Sub-agents of sub-agents that start deeper than this are shown where the one that started them is. */
export const mostNested = 8;
