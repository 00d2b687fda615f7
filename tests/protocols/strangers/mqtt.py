"""MQTT 3.1.1 as Scapy writes and reads it, and MQTT 5 as Eclipse Paho writes it."""

import socket
from collections.abc import Iterator
from random import Random
from threading import Thread
from typing import Any

from paho.mqtt.client import CallbackAPIVersion, Client, MQTTv5
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties, VariableByteIntegers
from paho.mqtt.subscribeoptions import SubscribeOptions
from scapy.contrib import mqtt
from scapy.packet import Packet

from protocols.strangers import Capture

TYPES = {
    "connect": 1, "connack": 2, "publish": 3, "puback": 4, "pubrec": 5, "pubrel": 6, "pubcomp": 7, "subscribe": 8,
    "suback": 9, "unsubscribe": 10, "unsuback": 11, "pingreq": 12, "pingresp": 13, "disconnect": 14,
}  # fmt: skip


def captures() -> Iterator[Capture]:
    """A connection of each version."""
    yield _by_scapy()
    yield _by_paho()


def _by_scapy() -> Capture:
    packets = [
        mqtt.MQTT() / mqtt.MQTTConnect(
            protoname=b"MQTT", protolevel=4, clientIdlen=3, clientId=b"abc", klive=60, cleansess=1, willflag=1,
            willQOSflag=1, willtopic=b"gone", willmsg=b"\x00bye", usernameflag=1, username="me", passwordflag=1,
            password="pass",
        ),
        mqtt.MQTT() / mqtt.MQTTConnack(sessPresentFlag=1, retcode=0),
        mqtt.MQTT(QOS=1, RETAIN=1) / mqtt.MQTTPublish(topic=b"a/b", msgid=7, value=b"x" * 200),
        mqtt.MQTT(DUP=0) / mqtt.MQTTPublish(topic=b"a/b", value=b""),
        mqtt.MQTT() / mqtt.MQTTPuback(msgid=7),
        mqtt.MQTT() / mqtt.MQTTPubrec(msgid=8),
        mqtt.MQTT(QOS=1) / mqtt.MQTTPubrel(msgid=8),
        mqtt.MQTT() / mqtt.MQTTPubcomp(msgid=8),
        mqtt.MQTT(QOS=1) / mqtt.MQTTSubscribe(msgid=9, topics=[
            mqtt.MQTTTopicQOS(topic=b"a/#", QOS=2), mqtt.MQTTTopicQOS(topic="näh".encode(), QOS=0),
        ]),
        mqtt.MQTT() / mqtt.MQTTSuback(msgid=9, retcodes=[2, 0x80]),
        mqtt.MQTT(QOS=1) / mqtt.MQTTUnsubscribe(msgid=10, topics=[mqtt.MQTTTopic(topic=b"a/#")]),
        mqtt.MQTT() / mqtt.MQTTUnsuback(msgid=10),
        mqtt.MQTT(type=12), mqtt.MQTT(type=13), mqtt.MQTT(type=14),
    ]  # fmt: skip
    data = [bytes(packet) for packet in packets]
    return Capture("3.1.1", b"".join(data), tuple(_read(mqtt.MQTT(each)) for each in data), {"version": "3.1.1"})


def _read(packet: Packet) -> dict[str, Any]:
    """What Scapy reads in a packet."""
    name = next(name for name, number in TYPES.items() if number == packet.type)
    header = {"packet_type": packet.type, "dup": bool(packet.DUP), "qos": packet.QOS, "retain": bool(packet.RETAIN)}
    found = packet.payload.fields
    match name:
        case "connect":
            own = {
                "protocol_name": found["protoname"].decode(),
                "protocol_version": found["protolevel"],
                "clean_start": bool(found["cleansess"]),
                "will_qos": found["willQOSflag"],
                "keep_alive": found["klive"],
                "client_id": found["clientId"].decode(),
                "will_topic": found["willtopic"].decode(),
                "will_payload": found["willmsg"],
                "user_name": found["username"].decode(),
                "password": found["password"],
            }
        case "connack":
            own = {"session_present": bool(found["sessPresentFlag"]), "reason_code": found["retcode"]}
        case "publish":
            topic, number = found["topic"].decode(), found.get("msgid")
            own = {"topic_name": topic, "packet_identifier": number, "payload": found["value"], "properties": None}
        case "subscribe":
            topics = [{"topic_filter": each.topic.decode(), "maximum_qos": each.QOS} for each in found["topics"]]
            own = {"packet_identifier": found["msgid"], "subscriptions": topics}
        case "suback":
            own = {"packet_identifier": found["msgid"], "reason_codes": found["retcodes"]}
        case "unsubscribe":
            topics = [each.topic.decode() for each in found["topics"]]
            own = {"packet_identifier": found["msgid"], "topic_filters": topics}
        case "pingreq" | "pingresp" | "disconnect":
            own = {}
        case _:
            own = {"packet_identifier": found["msgid"]}
    return {**header, "remaining_length": packet.len, "message": name, **({name: own} if own else {})}


def _by_paho() -> Capture:
    """What a client of Paho sends, and what it was told to send."""
    client = Client(CallbackAPIVersion.VERSION2, "näh", protocol=MQTTv5)
    client.username_pw_set("me", "pass")
    client.will_set(
        "gone", b"\0", qos=1, retain=True, properties=_properties(PacketTypes.WILLMESSAGE, WillDelayInterval=5)
    )
    connect = _properties(PacketTypes.CONNECT, SessionExpiryInterval=3600, UserProperty=[("a", "b"), ("a", "c")])
    publish = _properties(
        PacketTypes.PUBLISH,
        PayloadFormatIndicator=1,
        MessageExpiryInterval=300,
        TopicAlias=2,
        ResponseTopic="r",
        CorrelationData=b"\1\2",
        ContentType="text/plain",
    )
    with socket.create_server(("127.0.0.1", 0)) as server:
        answering = Thread(target=_answered, args=(server, received := bytearray()))
        answering.start()
        client.connect("127.0.0.1", server.getsockname()[1], keepalive=30, clean_start=True, properties=connect)
        while not client.is_connected():
            client.loop(1)
        options = SubscribeOptions(qos=1, noLocal=True, retainAsPublished=True, retainHandling=2)
        subscribe = _properties(PacketTypes.SUBSCRIBE, SubscriptionIdentifier=300)
        client.subscribe("a/#", options=options, properties=subscribe)
        client.publish("a/b", "grün", qos=1, properties=publish)
        client.unsubscribe(["a/#", "b"], properties=_properties(PacketTypes.UNSUBSCRIBE, UserProperty=("x", "y")))
        client.disconnect(properties=_properties(PacketTypes.DISCONNECT, ReasonString="done"))
        answering.join()
    rows = (
        {"connect": {
            "protocol_version": 5, "client_id": "näh", "keep_alive": 30, "clean_start": True,
            "properties": {"properties": [
                {"identifier_name": "Session Expiry Interval", "four_byte_integer": 3600},
                {"identifier_name": "User Property", "name": "a", "value": "b"},
                {"identifier_name": "User Property", "name": "a", "value": "c"},
            ]},
            "will_retain": True, "will_qos": 1, "will_topic": "gone", "will_payload": b"\0",
            "will_properties": {"properties": [{"identifier_name": "Will Delay Interval", "four_byte_integer": 5}]},
            "user_name": "me", "password": b"pass",
        }},
        {"subscribe": {
            "packet_identifier": 1,
            "properties": {"properties": [{"identifier": 11, "variable_byte_integer": 300}]},
            "subscriptions": [{
                "topic_filter": "a/#", "maximum_qos": 1, "no_local": True, "retain_as_published": True,
                "retain_handling": 2,
            }],
        }},
        {"qos": 1, "publish": {
            "topic_name": "a/b", "packet_identifier": 2, "payload": "grün".encode(),
            "properties": {"properties": [
                {"identifier_name": "Payload Format Indicator", "byte": 1},
                {"identifier_name": "Message Expiry Interval", "four_byte_integer": 300},
                {"identifier_name": "Content Type", "string": "text/plain"},
                {"identifier_name": "Response Topic", "string": "r"},
                {"identifier_name": "Correlation Data", "binary_data": b"\1\2"},
                {"identifier_name": "Topic Alias", "two_byte_integer": 2},
            ]},
        }},
        {"unsubscribe": {"packet_identifier": 3, "topic_filters": ["a/#", "b"]}},
        {"disconnect": {"reason_code": 0, "properties": {"properties": [{"identifier": 31, "string": "done"}]}}},
    )  # fmt: skip
    return Capture("5", bytes(received), rows, {"version": "5"})


def _properties(packet: int, **values: Any) -> Properties:
    found = Properties(packet)
    for name, value in values.items():
        setattr(found, name, value)
    return found


def _answered(server: socket.socket, received: bytearray) -> None:
    """Answer a client, and note all that it sends until it leaves."""
    connection, _ = server.accept()
    with connection:
        received += connection.recv(4096)
        connection.sendall(bytes.fromhex("20 03 00 00 00"))  # CONNACK: no session, success, no properties
        while data := connection.recv(4096):
            received += data


def varied(random: Random) -> Iterator[Capture]:
    """Packets of MQTT 3.1, 3.1.1 and 5, with every property where Paho allows it, and without what may be left out."""
    while True:
        if random.random() < 0.4:
            packet = bytes(_any_packet(random))
            yield Capture("Scapy", packet, (_read(mqtt.MQTT(packet)),), {"version": "3.1.1"})
        else:
            yield _with_properties(random)


def _any_packet(random: Random) -> Packet:
    number, topic = random.randrange(1, 1 << 16), random.choice((b"a", b"a/b/c", "ä/ö".encode(), b"$SYS/x"))
    match random.randrange(6):
        case 0:
            name, level = random.choice(((b"MQIsdp", 3), (b"MQTT", 4), (b"MQTT", 0x84)))
            return mqtt.MQTT() / mqtt.MQTTConnect(
                protoname=name, protolevel=level, clientIdlen=3, clientId=b"abc", klive=random.getrandbits(16),
                cleansess=1, willflag=1, willQOSflag=random.randrange(3), willretainflag=1, willtopic=topic,
                willmsg=b"", usernameflag=1, username="me", passwordflag=1, password=b"\xff\0",
            )  # fmt: skip
        case 1:
            qos = random.randrange(3)
            own = {"msgid": number} if qos else {}
            return mqtt.MQTT(QOS=qos, DUP=int(qos > 0), RETAIN=1) / mqtt.MQTTPublish(
                topic=topic, value=random.randbytes(9), **own
            )
        case 2:
            topics = [mqtt.MQTTTopicQOS(topic=topic, QOS=random.randrange(3)) for _ in range(random.randrange(1, 4))]
            return mqtt.MQTT(QOS=1) / mqtt.MQTTSubscribe(msgid=number, topics=topics)
        case 3:
            return mqtt.MQTT() / mqtt.MQTTSuback(msgid=number, retcodes=random.choices((0, 1, 2, 0x80), k=3))
        case 4:
            return mqtt.MQTT() / mqtt.MQTTConnack(sessPresentFlag=random.randrange(2), retcode=random.randrange(6))
    kind = random.choice((mqtt.MQTTPuback, mqtt.MQTTPubrec, mqtt.MQTTPubcomp, mqtt.MQTTUnsuback))
    return mqtt.MQTT() / kind(msgid=number)


def _with_properties(random: Random) -> Capture:
    """A packet of MQTT 5 with properties as Paho writes them, and read again by it."""
    kind = random.choice(("CONNACK", "PUBLISH", "PUBACK", "SUBACK", "UNSUBACK", "DISCONNECT", "AUTH"))
    number = getattr(PacketTypes, kind)
    properties = Properties(number)
    for name in properties.names:
        if number in properties.properties[properties.names[name]][1] and random.random() < 0.3:
            setattr(properties, name, _value(random, properties, name))
    packed = properties.pack()
    read, size = Properties(number).unpack(packed)
    assert size == len(packed)
    front, behind = {
        "CONNACK": (b"\1\0", b""), "PUBLISH": (b"\0\1a", b"payload"), "SUBACK": (b"\0\5", b"\0\x80"),
        "UNSUBACK": (b"\0\5", b"\0\x11"), "PUBACK": (b"\0\5\x10", b""), "DISCONNECT": (b"\x04", b""),
        "AUTH": (b"\x18", b""),
    }[kind]  # fmt: skip
    body = front + packed + behind
    if properties.isEmpty() and kind in ("PUBACK", "DISCONNECT", "AUTH"):
        body = front[: random.choice((len(front), max(len(front) - 1, 0)))]
    size = VariableByteIntegers.encode(len(body))
    row: dict[str, Any] = {"message": kind.lower(), "remaining_length": len(body)}
    if len(body) > len(front):
        row[kind.lower()] = {
            "properties": {"property_length": len(packed) - len(VariableByteIntegers.encode(len(packed)))}
        }
        row[kind.lower()]["properties"] = {"properties": [{"identifier": each} for each in _identifiers(read)]}
    return Capture(kind, bytes([number << 4]) + size + body, (row,), {"version": "5"}, told=_sorted)


def _value(random: Random, properties: Properties, name: str) -> Any:
    kind = properties.types[properties.properties[properties.names[name]][0]]
    match kind:
        case "UTF-8 String Pair":
            return [("a", "ä"), ("", "")]
        case "UTF-8 Encoded String":
            return random.choice(("", "grün"))
        case "Binary Data":
            return random.randbytes(5)
    return 1 if kind == "Byte" else random.randrange(1, 1 << 15)


def _identifiers(properties: Properties) -> list[int]:
    found = {
        name: value
        for name, value in vars(properties).items()
        if name not in ("packetType", "types", "names", "properties")
    }
    numbers = {name.replace(" ", ""): number for name, number in properties.names.items()}
    return sorted(
        numbers[name] for name, value in found.items() for _ in (value if isinstance(value, list) else (value,))
    )


def _sorted(row: Any) -> Any:
    """A row with its properties in the order of their numbers."""
    own = row[row["message"]]
    if not own or not own.get("properties"):
        return row
    found = sorted(own["properties"]["properties"], key=lambda each: each["identifier"])
    return {**row, row["message"]: {**own, "properties": {**own["properties"], "properties": found}}}
