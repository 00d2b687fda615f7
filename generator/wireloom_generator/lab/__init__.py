"""The lab: a page of this machine on which a spec is written beside a capture that it decodes at once."""
