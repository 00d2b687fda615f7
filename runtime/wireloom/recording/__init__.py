"""Records written as packets, as if their traffic had been recorded: what Wireshark opens.

Packets are IP without a header of a link in front (link type RAW, 101). IPv4 and IPv6 can stand in one file so, and
there are no addresses of network cards, which rows do not have, to make up.
"""
