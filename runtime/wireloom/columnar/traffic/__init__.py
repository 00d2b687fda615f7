"""Recorded network traffic: packets of capture files, put together to the streams that protocols were spoken in."""
