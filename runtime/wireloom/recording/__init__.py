"""Records written as packets, as if their traffic had been recorded, for Wireshark.

Packets are IP without a link header (link type RAW, 101). So IPv4 and IPv6 can be in one file, and no link
addresses, which rows do not have, must be invented.
"""
